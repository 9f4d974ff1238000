/** Home: how large the memory is, what should be settled, goals, and the latest changes. */

import { useMemory, useResult } from "../memory";
import { ProtectAction, ProtectedScope, ProtectionBanners } from "../protect";
import { protectionsOf } from "../protection";
import type { DomainInfo, LogPage } from "../results";
import { addressOf } from "../route";
import { Failure } from "../ui";
import { count } from "../words";
import { Contradicting } from "./contradictions";
import { Domains } from "./domains";
import { Goals } from "./goals";
import { LatestChanges, READ } from "./latest_changes";
import { ToSettle } from "./to_settle";

export function Home() {
  const { domain, domains } = useMemory();
  const log = useResult<LogPage>("memory_log", { full: true, limit: READ });
  // The slow reads begin last and one after the other, so that they delay no others on the server.
  const info = useResult<DomainInfo>("get_domain", log.loading ? null : { name: domain });
  const summary = info.value ?? domains.value?.find(({ name }) => name === domain);
  return (
    <ProtectedScope protections={protectionsOf(info.value)}>
      <header class="page-head">
        <div class="title-line">
          <h1>{domain}</h1>
          {info.value && <ProtectAction title={domain} of="domain" scope={{ domain }} />}
        </div>
        {summary?.description && <p class="lead">{summary.description}</p>}
        {summary?.forked_from && (
          <p class="lead">
            A branch of <a href={addressOf("home", { domain: summary.forked_from })}>{summary.forked_from}</a>.{" "}
            <a href={addressOf("time", { show: "merge" })}>Compare and merge</a>
          </p>
        )}
        <ProtectionBanners />
      </header>
      {info.error ? <Failure error={info.error} /> : <Figures info={info.value} changes={summary?.events} />}
      <div class="columns">
        <div>
          <Goals />
          <Contradicting />
          <ToSettle isReady={!log.loading && !info.loading} />
        </div>
        <div>
          <Domains />
          <LatestChanges log={log} />
        </div>
      </div>
    </ProtectedScope>
  );
}

/** Counts of the domain. Their places show dots until the counts are read. */
function Figures({ info, changes }: { info: DomainInfo | undefined; changes: number | undefined }) {
  const asFigure = (value: number | undefined) => (value === undefined ? "…" : count(value));
  const figures: [string, string, string][] = [
    [asFigure(info?.nodes), "nodes", addressOf("nodes")],
    [asFigure(info?.connections), "connections", addressOf("graph")],
    [asFigure(changes), "changes", addressOf("time")],
    [...(info ? indexState(info) : (["…", "search index"] as const)), addressOf("nodes")],
  ];
  return (
    <ul class="figures" aria-busy={!info}>
      {figures.map(([figure, label, address]) => (
        <li key={label}>
          <a href={address}>
            <strong>{figure}</strong> <span>{label}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function indexState({ not_indexed, without_vectors }: DomainInfo): [figure: string, label: string] {
  if (not_indexed) return [count(not_indexed), "changes wait for the index"];
  return without_vectors ? [count(without_vectors), "texts without vectors"] : ["Up to date", "search index"];
}
