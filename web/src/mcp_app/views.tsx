/** The views of paths, differences and health. */

import type { Diff, Health, Paths } from "../results";
import { Section, TypeChip } from "../ui";
import { count, findingsTitle, plural } from "../words";

/** Show texts, one per line. */
export function Lines({ texts }: { texts: string[] }) {
  return (
    <>
      {texts.map((text) => (
        <p key={text} class="quiet-text">
          {text}
        </p>
      ))}
    </>
  );
}

export function PathView({ paths, tried }: Paths) {
  return (
    <>
      <h1>{paths.length ? plural(paths.length, "path") : "No path"}</h1>
      {tried && <p class="lead">{tried}</p>}
      {paths.map(({ nodes, connections, length }, number) => (
        <Section key={number} title={plural(length, "connection")}>
          <ol class="path">
            {nodes.map((node, place) => {
              const link = connections[place - 1];
              return (
                <li key={place}>
                  {link && (
                    <p class="quiet-text">{link.to_id === node.id ? `↓ ${link.type}` : `↑ ${link.type}`}</p>
                  )}
                  <strong>{node.title}</strong> <TypeChip type={node.type} />
                </li>
              );
            })}
          </ol>
        </Section>
      ))}
    </>
  );
}

type ShownDiff = Diff & { changes?: string[]; warnings?: string[] };

export function DiffView(diff: ShownDiff) {
  const { added, removed, changed, since, until, against, entries, changes = [], warnings = [], next_cursor } = diff;
  const lines = entries?.map(({ summary }) => summary) ?? changes;
  return (
    <>
      <h1>Differences</h1>
      <p class="summary">
        <span class="added">{count(added)} added</span>
        <span class="removed">{count(removed)} removed</span>
        <span class="changed">{count(changed)} changed</span>
        <span>
          Log {since} to {until}
          {against && `, against domain ${against}`}
        </span>
      </p>
      <Lines texts={warnings} />
      <ul class="rows dense">
        {lines.map((line, number) => (
          <li key={number}>
            <div>{line}</div>
          </li>
        ))}
      </ul>
      {next_cursor && <p class="quiet-text">There are more differences on the next page.</p>}
    </>
  );
}

export function HealthView({ entities, observations, relations, counts, findings, left_out }: Health) {
  return (
    <>
      <h1>Health</h1>
      <p class="summary">
        <span>{count(entities)} entities</span>
        <span>{count(observations)} observations</span>
        <span>{count(relations)} relations</span>
      </p>
      {left_out > 0 && <p class="quiet-text">{count(left_out)} entities were not checked.</p>}
      {findings.length === 0 && <p class="empty">No problems were found.</p>}
      {Object.entries(counts).map(([kind, total]) => (
        <Section key={kind} title={`${findingsTitle(kind)} (${count(total)})`}>
          <ul class="rows dense">
            {findings
              .filter((finding) => finding.kind === kind)
              .map(({ about, reason }, number) => (
                <li key={number}>
                  <div>
                    <strong>{about.join(", ")}</strong>
                    <p class="reason">{reason}</p>
                  </div>
                </li>
              ))}
          </ul>
        </Section>
      ))}
    </>
  );
}
