// The page's own formatting functions, built from its sources, so that tests round as the page
// does.
import { buildSync } from "esbuild";
import path from "node:path";
import { fileURLToPath } from "node:url";

const WORDS = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../src/words");

async function load(file) {
  const { outputFiles } = buildSync({ entryPoints: [path.join(WORDS, file)], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

export const { seconds, percent, plain, short, count } = await load("number.ts");
export const { word } = await load("training.ts");
