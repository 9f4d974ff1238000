/** The changes of a branch, and the changes of its base since the branch was made. */

import { Section } from "../ui";
import type { Branch } from "./branches";
import { DifferenceList } from "./difference_list";

export function BranchComparison({ branch: { name, base, at } }: { branch: Branch }) {
  const since = String(at);
  return (
    <div class="columns equal">
      <Section title={`Changed in ${name} since the branch`}>
        <DifferenceList domain={base} since={since} until="" against={name} empty={`Nothing has changed in ${name}.`} />
      </Section>
      <Section title={`Changed in ${base} since the branch`}>
        <DifferenceList
          domain={base}
          since={since}
          until=""
          against=""
          empty={`Nothing has changed in ${base} since the branch.`}
        />
      </Section>
    </div>
  );
}
