/** Nodes that contradict each other, with the actions that settle it. */

import { useMemory, useResult } from "../memory";
import type { Contradictions } from "../results";
import { Action, Ago, NodeLink, Section } from "../ui";
import { Answered } from "./answered";
import { useAnswers, type Question } from "./answers";

const READ = 20;

type Contradiction = Contradictions["contradictions"][number];

export function Contradicting() {
  const { value } = useResult<Contradictions>("find_contradictions", { limit: READ });
  const withAnswers = useAnswers(value?.contradictions, ({ connection_id }) => connection_id);
  const questions = withAnswers(value?.contradictions ?? []);
  if (!questions.length) return null;
  return (
    <Section title="Contradictions">
      <ul class="rows">
        {questions.map((question) => (
          <Row key={question.key} question={question} />
        ))}
      </ul>
    </Section>
  );
}

function Row({ question: { row, answer, write } }: { question: Question<Contradiction> }) {
  const { domain } = useMemory();
  const { connection_id, a, b } = row;
  return (
    <li class={answer && "answered"}>
      <div>
        <NodeLink {...a} /> <span class="quiet-text">contradicts</span> <NodeLink {...b} />
        <p class="reason">
          <Ago time={a.modified} /> and <Ago time={b.modified} />
        </p>
        {answer && <Answered text={answer} />}
      </div>
      <div class="actions">
        {[a, b].map((side) => (
          <Action
            key={side.id}
            needs="forget"
            title={`“${side.title}” is no longer true`}
            // This also ends the connection between them.
            onClick={() => write(`No longer true: ${side.title}`, "forget", { ids: [side.id], domain })}
          >
            {side === a ? "The first" : "The second"} is wrong
          </Action>
        ))}
        <Action
          needs="delete_connection"
          onClick={() => write(`Both kept: ${a.title}, ${b.title}`, "delete_connection", { connection_id, domain })}
        >
          Keep both
        </Action>
      </div>
    </li>
  );
}
