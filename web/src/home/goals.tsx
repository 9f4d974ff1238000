/** Unfinished goals, with their next steps. */

import { useMemory, useResult } from "../memory";
import type { Goal } from "../results";
import { Action, Empty, NodeLink, Result, Section } from "../ui";
import { tryWrite } from "../writes";

export function Goals() {
  const answer = useResult<{ goals: Goal[] }>("list_goals", { limit: 10 });
  return (
    <Section title="Goals">
      <Result of={answer}>
        {({ goals }) =>
          goals.length ? (
            <ul class="rows">
              {goals.map((goal) => (
                <GoalRow key={goal.id} goal={goal} />
              ))}
            </ul>
          ) : (
            <Empty>No unfinished goals.</Empty>
          )
        }
      </Result>
    </Section>
  );
}

function GoalRow({ goal }: { goal: Goal }) {
  const { domain } = useMemory();
  const next = goal.steps?.find((step) => !step.done);
  const update = (done: string, changes: object) =>
    tryWrite(done, "update_goal", { goal_id: goal.id, domain, ...changes });
  return (
    <li>
      <div>
        <NodeLink id={goal.id} title={goal.description} />
        <p class="reason">
          {[goal.status, goal.deadline && `due ${goal.deadline}`, next && `next: ${next.text}`, goal.blocked_reason]
            .filter(Boolean)
            .join(" · ")}
        </p>
        {goal.steps && <progress value={goal.progress} max={1} aria-label={`Progress of ${goal.description}`} />}
      </div>
      <div class="actions">
        {next ? (
          <Action needs="update_goal" onClick={() => update(`Step done: ${next.text}`, { complete_step: next.number })}>
            Step done
          </Action>
        ) : (
          <Action
            needs="update_goal"
            onClick={() => update(`Goal completed: ${goal.description}`, { status: "completed" })}
          >
            Complete
          </Action>
        )}
      </div>
    </li>
  );
}
