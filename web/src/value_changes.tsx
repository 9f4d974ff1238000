/** Values and texts before and after a change. */

import type { ValueChange } from "./results";
import { asReadable } from "./words";

export function ValueChanges({ values }: { values: ValueChange[] }) {
  if (!values.length) return null;
  return (
    <ul class="values">
      {values.map(({ name, before, after }) => (
        <li key={name}>
          <span class="name">{name}</span> {before !== undefined && <del>{asReadable(before)}</del>}{" "}
          {after !== undefined && <ins>{asReadable(after)}</ins>}
        </li>
      ))}
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
