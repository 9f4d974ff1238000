/** Branches: create a branch, preview its merge, choose a side for each conflict, and merge. */

import { useEffect, useState } from "preact/hooks";

import { call, type ApiError } from "../api";
import { asApiError, useMemory } from "../memory";
import type { MergeConflict, Merged } from "../results";
import { setParameters, useRoute } from "../route";
import { Action, Empty, Failure, Field, Section, Select } from "../ui";
import { asReadable, asText, count, plural } from "../words";
import { tryWrite } from "../writes";
import { BranchComparison } from "./branch_comparison";
import { branchesOf } from "./branches";

type Side = "ours" | "theirs";
type Choices = Record<string, Side>;

export function Merge() {
  const { domain, domains: read } = useMemory();
  const { value: domains, error } = read;
  const { parameters } = useRoute();
  if (!domains) return error ? <Failure error={error} /> : <p class="loading">Loading…</p>;
  const branches = branchesOf(domain, domains);
  const merges = [
    ...branches.map((branch) => ({ branch, from: branch.name, into: branch.base })),
    ...branches.map((branch) => ({ branch, from: branch.base, into: branch.name })),
  ];
  const wanted = parameters["merge"];
  const chosen = merges.find((merge) => keyOfMerge(merge) === wanted) ?? merges[0];
  return (
    <>
      {chosen ? (
        <>
          <div class="filters">
            <Select
              label="Merge"
              value={keyOfMerge(chosen)}
              options={merges.map((merge) => [keyOfMerge(merge), `${merge.from} into ${merge.into}`] as const)}
              onChange={(merge) => setParameters({ merge })}
            />
          </div>
          <Preview from={chosen.from} into={chosen.into} key={keyOfMerge(chosen)} />
          <BranchComparison branch={chosen.branch} key={chosen.branch.name} />
        </>
      ) : (
        <Empty>{domain} has no branches and is not a branch.</Empty>
      )}
      <NewBranch />
    </>
  );
}

const keyOfMerge = ({ from, into }: { from: string; into: string }): string => `${from} ${into}`;

function NewBranch() {
  const { domain, offers } = useMemory();
  const [name, setName] = useState("");
  if (!offers("memory_branch")) return null;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await tryWrite(`Created branch ${name}`, "memory_branch", { name, domain })) setName("");
  };
  return (
    <form class="inline" onSubmit={submit}>
      <Field label={`New branch of ${domain}`} value={name} onInput={setName} required />
      <button type="submit">Create a branch</button>
    </form>
  );
}

function Preview({ from, into }: { from: string; into: string }) {
  const { revision } = useMemory();
  const [choices, setChoices] = useState<Choices>({});
  const [shown, setShown] = useState<{ merge?: Merged; error?: ApiError }>({});
  const [conflicts, setConflicts] = useState<MergeConflict[]>([]);
  const resolutions = resolutionsOf(conflicts, choices);
  const args = { from, into, ...(resolutions.length && { resolutions }) };
  useEffect(() => {
    call<Merged>("memory_merge", { ...args, preview: true }).then(
      (merge) => {
        setShown({ merge });
        setConflicts((known) => [
          ...known,
          ...merge.conflicts.filter((conflict) => !known.some((other) => keyOf(other) === keyOf(conflict))),
        ]);
      },
      (error: unknown) => setShown({ error: asApiError(error) }),
    );
  }, [from, into, revision, JSON.stringify(choices)]);
  const { merge, error } = shown;
  if (error) return <Failure error={error} />;
  if (!merge) return <p class="loading">Loading…</p>;
  const left = merge.conflicts.length + (merge.more_conflicts ?? 0);
  const total = merge.created + merge.updated + merge.deleted;
  return (
    <Section title="What the merge would do">
      <p class="summary" role="status">
        <span class="added">{count(merge.created)} added</span>
        <span class="changed">{count(merge.updated)} changed</span>
        <span class="removed">{count(merge.deleted)} removed</span>
        {left > 0 && <strong>{plural(left, "conflict")} to resolve</strong>}
      </p>
      {conflicts.map((conflict) => (
        <Conflict
          key={keyOf(conflict)}
          conflict={conflict}
          from={from}
          into={into}
          chosen={choices[keyOf(conflict)]}
          onChoose={(side) => setChoices({ ...choices, [keyOf(conflict)]: side })}
        />
      ))}
      <div class="actions review">
        <Action
          needs="memory_merge"
          kind="primary"
          disabled={left > 0 || total === 0}
          onClick={() => tryWrite(`Merged ${from} into ${into}`, "memory_merge", args)}
        >
          {total ? `Merge ${plural(total, "change")} of ${from} into ${into}` : `${into} has all changes of ${from}`}
        </Action>
      </div>
    </Section>
  );
}

interface ConflictProps {
  conflict: MergeConflict;
  from: string;
  into: string;
  chosen: Side | undefined;
  onChoose: (side: Side) => void;
}

function Conflict({ conflict, from, into, chosen, onChoose }: ConflictProps) {
  const names: Record<Side, string> = { ours: into, theirs: from };
  const isAlike = asReadable(conflict.ours) === asReadable(conflict.theirs);
  const valueOf = (side: Side) => (isAlike ? asText(conflict[side]) : asReadable(conflict[side])) || "—";
  return (
    <fieldset class="conflict">
      <legend>
        {conflict.title ?? conflict.subject}
        {conflict.property && ` · ${conflict.property.replace(/^_(given_)?/, "")}`}
      </legend>
      <p class="reason">{conflict.reason}</p>
      <div class="sides">
        {conflict.takes.map((side) => (
          <label key={side}>
            <input type="radio" name={keyOf(conflict)} checked={chosen === side} onChange={() => onChoose(side)} />
            <strong>{names[side]}</strong>
            <span>{valueOf(side)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const keyOf = ({ subject, property = "", conflict }: MergeConflict): string => `${subject} ${property} ${conflict}`;

/** Return the resolutions of the server that take the chosen sides. */
function resolutionsOf(conflicts: MergeConflict[], choices: Choices): Record<string, string>[] {
  return conflicts.flatMap((conflict) =>
    conflict.resolve.filter((resolution) => resolution["take"] === choices[keyOf(conflict)]).slice(0, 1),
  );
}
