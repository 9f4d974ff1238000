/** The overview of a whole domain: its communities as a picture or as a list. Each opens as a graph of its nodes. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Communities, Community } from "../results";
import { setParameters, type Parameters } from "../route";
import { Empty, Result, TypeChip } from "../ui";
import { count, plural } from "../words";
import { draw, hasWebGL, type Canvas } from "./canvas";
import { useCommunities } from "./communities";
import { ShowAs, WithoutWebGL } from "./graph_controls";
import type { DrawnGraph } from "./graph_model";
import { layOut } from "./layouts";
import { Legend } from "./legend";
import { graphOf, nameOf, paintCommunities } from "./overview_graph";

const SHOWN = 3;

export function Overview({ parameters }: { parameters: Parameters }) {
  const answer = useCommunities({});
  const canDraw = useMemo(hasWebGL, []);
  const asList = !canDraw || parameters["as"] === "list";
  const { communities = [] } = answer.value ?? {};
  const only = communities.length === 1 && !parameters["overview"] ? communities[0]!.id : undefined;
  useEffect(() => {
    if (only) setParameters({ community: only }); // one circle would say nothing
  }, [only]);
  return (
    <>
      {canDraw && (
        <div class="filters">
          <ShowAs parameters={parameters} />
        </div>
      )}
      {!canDraw && <WithoutWebGL />}
      <Result of={answer}>
        {(overview) => (
          <>
            <p class="summary" role="status">
              {summaryOf(overview)}
            </p>
            {overview.warnings?.map((warning) => (
              <p class="hint" key={warning}>
                {warning}
              </p>
            ))}
            {overview.at !== undefined && !overview.communities.length && <Empty>This domain has no nodes.</Empty>}
            {overview.communities.length > 0 &&
              (asList ? <CommunityList overview={overview} /> : <CommunityPicture overview={overview} />)}
          </>
        )}
      </Result>
    </>
  );
}

function summaryOf({ communities, nodes, at, seq, is_computing }: Communities): string {
  if (at === undefined) return "The communities of this domain are being computed…";
  const size = `${plural(nodes, "node")} in ${communities.length === 1 ? "1 community" : `${count(communities.length)} communities`}`;
  if (is_computing) return `${size}, as of change ${count(at)}. Newer ones are being computed…`;
  return at < seq ? `${size}. The last ${plural(seq - at, "change")} will be included later.` : `${size}.`;
}

function openCommunity(id: string): void {
  const isInList = document.activeElement?.closest(".graph-list");
  setParameters({ overview: "", community: id }, true);
  // The list vanishes with its focus, so that keys would begin at the top of the page.
  if (isInList) document.querySelector<HTMLElement>(".start-choice [aria-pressed]")?.focus();
}

function CommunityList({ overview: { communities, edges } }: { overview: Communities }) {
  const neighbors = useMemo(() => {
    const names = new Map(communities.map((community) => [community.id, nameOf(community)]));
    const byId = new Map<string, string[]>();
    for (const { from_id, to_id, connections } of edges) {
      for (const [id, other] of [
        [from_id, to_id],
        [to_id, from_id],
      ] as const) {
        const known = byId.get(id) ?? byId.set(id, []).get(id)!;
        if (known.length < SHOWN) known.push(`${names.get(other)} (${count(connections)})`);
      }
    }
    return byId;
  }, [communities, edges]);
  return (
    <ul class="rows graph-list" aria-label="Communities">
      {communities.map((community) => (
        <li key={community.id}>
          <div>
            <button type="button" class="quiet title" onClick={() => openCommunity(community.id)}>
              {community.label}
            </button>
            <p class="reason">
              {plural(community.size, "node")}: <Types community={community} />
              {neighbors.has(community.id) && ` · connected with ${neighbors.get(community.id)!.join(", ")}`}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Types({ community: { types } }: { community: Community }) {
  return (
    <>
      {Object.entries(types)
        .toSorted(([, a], [, b]) => b - a) // an object lists names that are numbers first
        .slice(0, SHOWN)
        .map(([type, number]) => (
          <span key={type}>
            {count(number)} <TypeChip type={type} />{" "}
          </span>
        ))}
    </>
  );
}

function CommunityPicture({ overview }: { overview: Communities }) {
  const container = useRef<HTMLDivElement>(null);
  const canvas = useRef<Canvas>(undefined);
  const drawn = useRef<DrawnGraph>(undefined);
  const [legend, setLegend] = useState(new Map<string, string>());
  const repaint = () => {
    setLegend(paintCommunities(drawn.current!));
    canvas.current?.refresh();
  };
  useEffect(() => {
    const graph = (drawn.current = graphOf(overview, drawn.current));
    setLegend(paintCommunities(graph));
    canvas.current = draw(graph, container.current!, {
      onClick: openCommunity,
      onDoubleClick: openCommunity,
      separatesLabels: true,
    });
    const stop = layOut(graph, "force", new Set(), () => canvas.current?.refresh());
    return () => {
      stop();
      canvas.current?.kill();
    };
  }, [overview.at]);
  useEffect(() => {
    window.addEventListener("theme", repaint);
    return () => window.removeEventListener("theme", repaint);
  }, []);
  return (
    <div class="picture-frame">
      <div
        class="canvas"
        ref={container}
        role="img"
        aria-label={`A picture of ${count(overview.communities.length)} communities. “Show as: List” has the same content and actions.`}
      />
      <div class="canvas-actions">
        <button type="button" onClick={() => canvas.current?.fit()}>
          Fit
        </button>
      </div>
      <Legend legend={legend} />
    </div>
  );
}
