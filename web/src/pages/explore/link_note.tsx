// What a link to Prometheus' page contains beyond the query shown.
import { linkedQueries, withLink, type LinkedQuery } from "../../url/prometheus_links";

const Others = ({ queries, link, shown }: { queries: readonly LinkedQuery[]; link: string; shown: string }) => (
  <div class="note">
    The link has {queries.length} queries; Explore shows one at a time:
    <ol class="linked">
      {queries.map(({ query, target }) => (
        <li key={target}>
          <a href={withLink(target, link)} aria-current={query === shown ? "true" : undefined}><code>{query}</code></a>
        </li>
      ))}
    </ol>
  </div>
);

export function LinkNote({ link, shown }: { link: string; shown: string }) {
  const queries = linkedQueries(link);
  const unread = queries.find(({ query }) => query === shown)?.unread ?? [];
  return (
    <>
      {queries.length > 1 && <Others queries={queries} link={link} shown={shown} />}
      {unread.map((words) => <p key={words} class="warning">▲ Ignored <code>{words}</code> in the link: not a valid time or duration.</p>)}
    </>
  );
}
