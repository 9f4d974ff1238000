/** Keys that work on every page, and the list of all keys. */

import { useLayoutEffect, useState } from "preact/hooks";

import { go, PAGES } from "./route";
import { closeNode, Dialog, openedNode } from "./ui";

const HELP: [string, string][] = [
  ["/", "Search for nodes"],
  ["j  k  or  ↓  ↑", "Next and previous row"],
  ["Enter", "Open the row's card"],
  ["e", "Edit the open card"],
  ["n  p", "Next and previous page of the list"],
  ["Esc", "Close the card or dialog"],
  ["1 … 5", "Home, Nodes, Graph, Time, Recall"],
  ["?", "This list"],
];

export function Keys() {
  const [shown, setShown] = useState(false);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape" && openedNode() && !document.querySelector("dialog[open]")) closeNode();
      if (isTyping(event)) return;
      if (event.key === "?") setShown(true);
      else if (event.key === "/") focusSearch(event);
      else if (/^[1-5]$/.test(event.key)) {
        usesKeys = true;
        go(PAGES[Number(event.key) - 1]!);
      }
    };
    const onPointer = () => (usesKeys = false);
    window.addEventListener("keydown", onKey);
    window.addEventListener("pointerdown", onPointer);
    return () => {
      window.removeEventListener("keydown", onKey);
      window.removeEventListener("pointerdown", onPointer);
    };
  }, []);
  if (!shown) return null;
  return (
    <Dialog title="Keys" onClose={() => setShown(false)}>
      <dl class="keys">
        {HELP.map(([key, action]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

export function isTyping(event: KeyboardEvent): boolean {
  return (
    event.target instanceof Element && event.target.closest("input, textarea, select, dialog, [role=slider]") !== null
  );
}

/** Focus the search for nodes: the field in the header, or the field of the page of nodes. */
function focusSearch(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLInputElement>("[aria-keyshortcuts='/']")?.focus();
}

let usesKeys = false;

/** Focus the field of a page that has just appeared. Not if a key led to it, since more keys may follow; not beside a
 *  card, which has its own keys; and not on a touch screen, where a keyboard would cover the page. */
export function focusMainField(input: HTMLInputElement | null): void {
  const isUnwanted = usesKeys || openedNode() || matchMedia("(pointer: coarse)").matches;
  if (!isUnwanted) input?.focus();
}
