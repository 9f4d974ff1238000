/** Time: the memory at any moment, differences, sessions, and merges. */

import type { JSX } from "preact";

import { setParameters, useRoute } from "../route";
import { Differences } from "./differences";
import { Merge } from "./merge";
import { Sessions } from "./sessions";
import { Timeline } from "./timeline";

const VIEWS: [string, string, () => JSX.Element][] = [
  ["moment", "At a moment", Timeline],
  ["differences", "Differences", Differences],
  ["sessions", "Sessions", Sessions],
  ["merge", "Branches", Merge],
];

export function TimePage() {
  const { parameters } = useRoute();
  const shown = VIEWS.find(([name]) => name === parameters["show"]) ?? VIEWS[0]!;
  const Content = shown[2];
  return (
    <>
      <header class="page-head">
        <h1>Time</h1>
      </header>
      <div class="tabs" role="tablist" aria-label="Views of time">
        {VIEWS.map(([name, label]) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === shown[0]}
            aria-controls="time-view"
            onClick={() => setParameters({ show: name }, true)}
          >
            {label}
          </button>
        ))}
      </div>
      <div id="time-view" role="tabpanel" aria-labelledby={`tab-${shown[0]}`}>
        <Content />
      </div>
    </>
  );
}
