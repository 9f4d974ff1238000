/** The differences between two moments, or between a domain and another one. */

import { useMemory } from "../memory";
import { setParameters, useRoute } from "../route";
import { Empty, LateField, Select } from "../ui";
import { isTime, moment } from "../words";
import { BranchComparison } from "./branch_comparison";
import { branchesOf } from "./branches";
import { DifferenceList } from "./difference_list";

export function Differences() {
  const { domain, domains: read } = useMemory();
  const { parameters } = useRoute();
  const { since = "", until = "", against = "" } = parameters;
  const domains = read.value ?? [];
  const branch =
    !since && !until && against !== domain
      ? branchesOf(domain, domains).find(({ name, base }) => name === against || base === against)
      : undefined;
  const set = (name: string) => (value: string) => setParameters({ [name]: value });
  const others = domains.filter(({ name }) => name !== domain);
  return (
    <>
      <Periods since={since} until={until} />
      <div class="filters">
        <LateField
          label="Since"
          value={since}
          hint={
            isTime(since) ? moment(since) : "A change's number, a time, or words: “today”, “monday”, “last session”"
          }
          onInput={set("since")}
        />
        <LateField label="Until" value={until} hint={isTime(until) ? moment(until) : "Empty: now"} onInput={set("until")} />
        <Select
          label="Compared with"
          value={against}
          options={[["", "The same domain"], ...others.map(({ name }) => [name, name] as const)]}
          onChange={set("against")}
        />
      </div>
      {branch ? (
        <BranchComparison branch={branch} key={branch.name} />
      ) : since || against ? (
        <>
          {against && (
            <p class="hint">
              “+” is only in {against}, “−” is only in {domain}.
            </p>
          )}
          <DifferenceList
            key={`${since} ${until} ${against}`}
            domain={domain}
            since={since}
            until={until}
            against={against}
            empty="Nothing differs."
          />
        </>
      ) : (
        <Empty>Choose a period, or a domain to compare with.</Empty>
      )}
    </>
  );
}

/** Return the start of a day, some days ago. */
function dayStart(daysAgo: number): string {
  const day = new Date();
  day.setDate(day.getDate() - daysAgo);
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}

function Periods({ since, until }: { since: string; until: string }) {
  const daysOfWeek = (new Date().getDay() + 6) % 7; // since Monday
  const periods = [
    ["Last 24 hours", "24 hours ago", ""],
    ["Today", dayStart(0), ""],
    ["Yesterday", dayStart(1), dayStart(0)],
    ...(daysOfWeek ? [["Since Monday", dayStart(daysOfWeek), ""] as const] : []),
  ] as const;
  return (
    <div class="actions periods">
      {periods.map(([label, start, end]) => (
        <button
          key={label}
          type="button"
          aria-pressed={since === start && until === end}
          onClick={() => setParameters({ since: start, until: end, against: "" }, true)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
