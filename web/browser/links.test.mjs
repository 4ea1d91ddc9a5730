// Links to Prometheus' page, from alerts and from bookmarks, lead to the equivalent place.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { eventually, openPage, settled, shows, startChromium } from "./chromium.mjs";
import { freePort, startLockstep } from "./lockstep.mjs";

const RULES = `
groups:
  - name: always
    interval: 1s
    rules:
      - alert: AlwaysOn
        expr: vector(42) > 7
        annotations: {graph: '{{ graphLink "vector(43)" }}', table: '{{ tableLink "vector(44)" }}'}
`;

let server;
let browser;
let alert; // as the receiver gets it

// Resolves with the first alert posted.
function startReceiver() {
  return new Promise((started) => {
    let hear;
    const heard = new Promise((resolve) => (hear = resolve));
    const receiver = createServer(async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      response.end();
      hear(JSON.parse(body).alerts[0]);
    });
    receiver.listen(0, "127.0.0.1", () => started({ heard, receiver, url: `http://127.0.0.1:${receiver.address().port}/` }));
  });
}

before(async () => {
  const { heard, receiver, url } = await startReceiver();
  const port = await freePort();
  [server, browser] = await Promise.all([
    startLockstep({
      recorded: false, rules: RULES, config: `alerting: {webhooks: [{url: '${url}'}]}\n`, port,
      flags: ["--web.external-url", `http://127.0.0.1:${port}`],
    }),
    startChromium(),
  ]);
  alert = await heard;
  receiver.close();
  receiver.closeAllConnections();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

async function withPage(use) {
  const opened = await openPage(browser, server.url);
  try {
    await use(opened);
    assert.deepEqual(opened.complaints, []);
  } finally {
    await opened.close();
  }
}

const answer = (page) => page.getByRole("region", { name: "Result", exact: true });
const chosen = (page, name) => page.getByRole("button", { name, pressed: true }).waitFor();

test("a firing alert's generatorURL opens its query in Explore as a table", async () => {
  assert.equal(alert.labels.alertname, "AlwaysOn");
  await withPage(async ({ page }) => {
    await page.goto(alert.generatorURL);
    await settled(page);
    await shows(page.locator("h1"), /^Explore$/);
    assert.equal(new URL(page.url()).searchParams.get("q"), "vector(42) > 7");
    await chosen(page, "Table");
    await shows(answer(page), /\b42\b/);
  });
});

test("a template's graphLink and tableLink open a graph and a table", async () => {
  await withPage(async ({ page, visit }) => {
    await visit(alert.annotations.graph);
    assert.equal(new URL(page.url()).searchParams.get("q"), "vector(43)");
    await chosen(page, "Graph");
    await page.locator("canvas").first().waitFor();
    await visit(alert.annotations.table);
    await chosen(page, "Table");
    await shows(answer(page), /\b44\b/);
  });
});

test("links of Prometheus 3 keep their time range", async () => {
  await withPage(async ({ page, visit }) => {
    await visit("/query?g0.expr=time()&g0.show_tree=0&g0.tab=table&g0.range_input=6h&g0.moment_input=2026-01-31%2012%3A00%3A00");
    await shows(answer(page), /\b1769860800\b/);
    const { searchParams } = new URL(page.url());
    assert.equal(Number(searchParams.get("to")) - Number(searchParams.get("from")), 6 * 3600);
  });
});

test("a link with several queries shows one; the others are a click away", async () => {
  await withPage(async ({ page, visit }) => {
    await visit("/graph?g0.expr=vector(1001)&g0.tab=1&g1.expr=vector(1002)&g1.tab=1&g1.end_input=soon");
    await shows(page.locator("main"), /The link has 2 queries; Explore shows one at a time/);
    await shows(answer(page), /\b1001\b/);
    await page.getByRole("link", { name: "vector(1002)" }).click();
    await settled(page);
    await shows(answer(page), /\b1002\b/);
    await shows(page.locator("main"), /Ignored g1.end_input=soon in the link: not a valid time or duration/);
  });
});

// Whether the element's top is in view, below the bar.
const isInView = (page, selector) => page.locator(selector).evaluate((element) => {
  const { top } = element.getBoundingClientRect();
  return top > 49 && top < window.innerHeight;
});

test("other addresses of Prometheus' page lead to their equivalents", async () => {
  const places = {
    "/alerts": ["Alerts and rules", null], "/rules": ["Alerts and rules", "#rules"], "/targets": ["Status", "#targets"],
    "/service-discovery": ["Status", "#targets"], "/status": ["Status", null], "/tsdb-status": ["Status", "#cardinality"],
    "/config": ["Status", "#configuration"], "/flags": ["Status", "#flags"], "/graph": ["Explore", null], "/query": ["Explore", null],
  };
  for (const [place, [title, part]] of Object.entries(places)) {
    await withPage(async ({ page, visit }) => {
      await visit(place);
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      if (part) await eventually(async () => assert.ok(await isInView(page, part), `${place}: ${part} is not in view`));
    });
  }
});
