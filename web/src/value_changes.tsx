/** Values and texts before and after a change. */

import { useMemory } from "./memory";
import type { ValueChange } from "./results";
import { asReadable, protectionText } from "./words";

export function ValueChanges({ values }: { values: ValueChange[] }) {
  const { actor } = useMemory();
  if (!values.length) return null;
  return (
    <ul class="values">
      {values.map(({ name, before, after, isSystem }) =>
        isSystem && name === "protection" ? (
          <li key={name}>{after === undefined ? "protection removed" : protectionText(after, actor)}</li>
        ) : (
          <li key={name}>
            <span class="name">{name}</span> {before !== undefined && <del>{asReadable(before)}</del>}{" "}
            {after !== undefined && <ins>{asReadable(after)}</ins>}
          </li>
        ),
      )}
    </ul>
  );
}

/** A unified diff without the names of its sides, with its lines in colour. */
export function TextDiff({ text }: { text: string }) {
  const classes: Record<string, string> = { "+": "added", "-": "removed", "@": "place" };
  return (
    <pre class="diff">
      {text
        .split("\n")
        .slice(2)
        .map((line) => (
          <span class={classes[line[0] ?? ""]}>{line + "\n"}</span>
        ))}
    </pre>
  );
}
