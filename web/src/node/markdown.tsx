/** Markdown as elements. It makes no HTML of text, so stored text cannot bring elements of its own. */

import type { ComponentChildren, JSX } from "preact";

const SAFE_LINK = /^(https?:|mailto:)/i;
const INLINE =
  /(`+)([^`]|[^`].*?[^`])\1(?!`)|\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*)\*|\b_([^_]+)_\b|~~(.+?)~~|!?\[([^\]]*)\]\(([^()\s]*(?:\([^()\s]*\))?[^()\s]*)\)|<?(https?:\/\/[^\s<>)]+)>?/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const DEEPEST = 8;
/** Longer texts are shown as they are, since the time to match some patterns grows with the square of the length. */
const LONGEST_MATCHED = 5_000;

export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{renderBlocks(text.replace(/\r\n?/g, "\n").split("\n"), 0)}</div>;
}

/** Return whether a link may be followed. */
export const isSafeLink = (address: string): boolean => SAFE_LINK.test(address);

function renderBlocks(lines: string[], depth: number): JSX.Element[] {
  const blocks: JSX.Element[] = [];
  for (let at = 0; at < lines.length;) {
    const [block, next] = readBlock(lines, at, depth);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

function readBlock(lines: string[], at: number, depth: number): [JSX.Element | null, number] {
  const line = lines[at]!;
  if (!line.trim()) return [null, at + 1];
  const fence = /^\s*(```+|~~~+)/.exec(line)?.[1];
  if (fence) {
    const end = endOf(lines, at + 1, (next) => next.trim().startsWith(fence));
    return [
      <pre>
        <code>{lines.slice(at + 1, end).join("\n")}</code>
      </pre>,
      end + 1,
    ];
  }
  const heading = matchShort(/^(#{1,6})\s+(.*?)\s*#*$/, line);
  if (heading) return [<p class={`heading level-${heading[1]!.length}`}>{renderInline(heading[2]!)}</p>, at + 1];
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return [<hr />, at + 1];
  if (/^\s*>/.test(line) && depth < DEEPEST) {
    const end = endOf(lines, at, (next) => !/^\s*>/.test(next));
    const quoted = lines.slice(at, end).map((next) => next.replace(/^\s*> ?/, ""));
    return [<blockquote>{renderBlocks(quoted, depth + 1)}</blockquote>, end];
  }
  if (ITEM.test(line) && depth < DEEPEST) return readList(lines, at, depth);
  if (line.includes("|") && matchShort(DIVIDER, lines[at + 1] ?? "")) return readTable(lines, at);
  const end = endOf(lines, at + 1, (next) => !next.trim() || /^\s*(#{1,6}\s|```|~~~|>)/.test(next) || ITEM.test(next));
  return [<p>{renderInline(lines.slice(at, end).join("\n"))}</p>, end];
}

function readList(lines: string[], at: number, depth: number): [JSX.Element, number] {
  const [, indent = "", marker = ""] = ITEM.exec(lines[at]!)!;
  const items: JSX.Element[] = [];
  while (at < lines.length) {
    const item = ITEM.exec(lines[at]!);
    if (!item || item[1]!.length !== indent.length) break;
    const end = endOf(lines, at + 1, (next) => !!next.trim() && next.search(/\S/) <= indent.length);
    const inner = [
      item[3]!,
      ...lines.slice(at + 1, end).map((next) => next.slice(Math.min(next.search(/\S|$/), indent.length + 2))),
    ];
    items.push(<li>{inner.length === 1 ? renderInline(inner[0]!) : renderBlocks(inner, depth + 1)}</li>);
    at = end;
  }
  return [/\d/.test(marker) ? <ol start={parseInt(marker, 10)}>{items}</ol> : <ul>{items}</ul>, at];
}

function readTable(lines: string[], at: number): [JSX.Element, number] {
  const end = endOf(lines, at + 2, (next) => !next.includes("|"));
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => renderInline(cell.trim()));
  const rows = lines.slice(at + 2, end).map((row) => (
    <tr>
      {cells(row).map((cell) => (
        <td>{cell}</td>
      ))}
    </tr>
  ));
  const head = (
    <tr>
      {cells(lines[at]!).map((cell) => (
        <th scope="col">{cell}</th>
      ))}
    </tr>
  );
  return [
    <table>
      <thead>{head}</thead>
      <tbody>{rows}</tbody>
    </table>,
    end,
  ];
}

function renderInline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  for (let rest = text; rest;) {
    const match = matchShort(INLINE, rest);
    if (!match) return [...parts, rest];
    if (match.index) parts.push(rest.slice(0, match.index));
    parts.push(renderMatch(match));
    rest = rest.slice(match.index + match[0].length);
  }
  return parts;
}

function renderMatch(match: RegExpExecArray): ComponentChildren {
  const [whole, , code, bold, bolder, italic, slanted, struck, label, target, bare] = match;
  if (code !== undefined) return <code>{code}</code>;
  if (bold ?? bolder) return <strong>{renderInline((bold ?? bolder)!)}</strong>;
  if (italic ?? slanted) return <em>{renderInline((italic ?? slanted)!)}</em>;
  if (struck) return <s>{renderInline(struck)}</s>;
  const address = target ?? bare ?? "";
  if (!isSafeLink(address)) return whole;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {label || address}
    </a>
  );
}

const matchShort = (pattern: RegExp, text: string): RegExpExecArray | null =>
  text.length > LONGEST_MATCHED ? null : pattern.exec(text);

function endOf(lines: string[], from: number, ends: (line: string) => boolean): number {
  let end = from;
  while (end < lines.length && !ends(lines[end]!)) end++;
  return end;
}
