/** A recall explained: what it returns for a question, why, and what it leaves out. */

import { useState } from "preact/hooks";

import { focusMainField } from "./keys";
import { useResult } from "./memory";
import type { Hit, Recall, RecallThing, SearchResult } from "./results";
import { addressOf, setParameters, useRoute, type Parameters } from "./route";
import { Empty, LateField, NodeLink, Result, Section, Select, TypeChip } from "./ui";
import { asReadable, asText, count, plural, sentence } from "./words";

const DEPTHS = ["shallow", "medium", "deep"] as const;
const CHARACTERS_OF_A_TOKEN = 4;
const TOKEN = "Agents measure text in tokens. A token has about four characters.";
const EXPLAINED: Record<string, string> = {
  hybrid: "Finds the words of the question, and texts with a similar meaning",
  lexical: "How well the words of the question match",
  semantic: "How close the meaning is to the question",
  name: "The question contains the name",
  place: "Where the match is: a title counts more than a content",
  length: "A long text counts less, since it has more words that can match by chance",
  hop: "Another match mentions it",
  edges: "Nodes with more connections count more",
  recency: "Newer texts count more",
  use: "Texts that were used before count more",
  source: "Who stored it",
};
const HEAD = ["id", "type", "title"];

export function RecallPage() {
  const { parameters } = useRoute();
  const { q = "", depth = "medium", tokens = "", as_of: asOf = "" } = parameters;
  const [question, setQuestion] = useState(q);
  const submit = (event: Event) => {
    event.preventDefault();
    setParameters({ q: question.trim() }, true);
  };
  const set = (name: string) => (value: string) => setParameters({ [name]: value });
  return (
    <>
      <header class="page-head">
        <h1>Recall</h1>
        <p class="lead">What an agent gets to read for a question, and why.</p>
      </header>
      <form class="inline" onSubmit={submit}>
        <input
          ref={q ? null : focusMainField}
          type="search"
          class="search"
          aria-label="Question"
          placeholder="Ask as an agent would"
          value={question}
          onInput={(event) => setQuestion(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Recall
        </button>
      </form>
      <div class="filters">
        <Select
          label="Depth"
          value={depth}
          options={DEPTHS.map((name) => [name, sentence(name)] as const)}
          onChange={set("depth")}
        />
        <LateField label="Most tokens" type="number" value={tokens} hint="Empty: by depth" onInput={set("tokens")} />
        <LateField label="As of" value={asOf} hint="Empty: now" onInput={set("as_of")} />
      </div>
      {q ? <Answers parameters={parameters} /> : <Empty>Type a question, such as “Where does Mira live?”</Empty>}
    </>
  );
}

function Answers({ parameters: { q = "", depth = "medium", tokens, as_of: asOf } }: { parameters: Parameters }) {
  const shared = { query: q, ...(asOf && { as_of: asOf }) };
  const recall = useResult<Recall>("recall", {
    ...shared,
    as: "structured",
    depth,
    ...(Number(tokens) && { max_tokens: Number(tokens) }),
  });
  const prose = useResult<{ content: string; tokens_used: number }>("recall", {
    ...shared,
    depth,
    ...(Number(tokens) && { max_tokens: Number(tokens) }),
  });
  const search = useResult<SearchResult>("search_memories", {
    ...shared,
    max_results: 30,
    include_relevance_explanation: true,
  });
  return (
    <Result of={recall}>
      {(value) => {
        const things = value.content.things ?? [];
        const returned = new Set(things.map((thing) => thing.id));
        const hits = search.value?.hits ?? [];
        const ids = things.flatMap((thing) => thing.id ?? []);
        return (
          <div class="columns">
            <Section
              title="Returned"
              aside={ids.length > 0 && <a href={addressOf("graph", { seed: ids.join(",") })}>As a graph</a>}
            >
              <Facts recall={value} />
              {things.length ? (
                <ol class="rows things">
                  {things.map((thing) => (
                    <Thing key={thing.id ?? thing.title} thing={thing} hit={hits.find((hit) => hit.id === thing.id)} />
                  ))}
                </ol>
              ) : (
                <Empty>Nothing is returned.</Empty>
              )}
            </Section>
            <div>
              <LeftOut recall={value} hits={hits.filter((hit) => !returned.has(hit.id))} />
              <Section
                title="As an agent reads it"
                aside={prose.value && <span title={TOKEN}>{plural(prose.value.tokens_used, "token")}</span>}
              >
                <Result of={prose}>{({ content }) => <pre class="text">{content}</pre>}</Result>
              </Section>
            </div>
          </div>
        );
      }}
    </Result>
  );
}

function Facts({ recall }: { recall: Recall }) {
  const { mode } = recall;
  return (
    <p class="summary">
      {mode && <span title={EXPLAINED[mode]}>{mode} search</span>}
      {recall.period && <span>period: {recall.period}</span>}
      {!!recall.shortened && <span>{count(recall.shortened)} shortened</span>}
    </p>
  );
}

function Thing({ thing, hit }: { thing: RecallThing; hit: Hit | undefined }) {
  const rest = Object.entries(thing).filter(([name]) => !HEAD.includes(name));
  const about = Math.ceil(JSON.stringify(thing).length / CHARACTERS_OF_A_TOKEN);
  return (
    <li>
      <div>
        {thing.id ? <NodeLink id={thing.id} title={thing.title ?? thing.id} /> : <span>{thing.title}</span>}{" "}
        {thing.type && <TypeChip type={thing.type} />}
        <span class="quiet-text" title={TOKEN}>
          {" "}
          about {plural(about, "token")}
        </span>
        <p class="why">{hit ? hit.why : "connected to the others, or named in the question"}</p>
        {hit?.explanation && <Score hit={hit} />}
        {rest.map(([name, value]) => (
          <Part key={name} name={name} value={value} />
        ))}
      </div>
    </li>
  );
}

function Part({ name, value }: { name: string; value: unknown }) {
  if (!Array.isArray(value)) {
    return (
      <p class="part">
        <span class="name">{name}</span> {asReadable(value)}
      </p>
    );
  }
  return (
    <ul class="part">
      {value.map((item: unknown) => (
        <li>
          {isObject(item) && "text" in item
            ? asText(item["text"])
            : isObject(item)
              ? Object.values(item).map(asText).join(" · ")
              : asText(item)}
        </li>
      ))}
    </ul>
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** The parts of a hit's score, which add up to it. */
function Score({ hit }: { hit: Hit }) {
  return (
    <ul class="score" aria-label={`Score ${hit.score?.toFixed(2)}`}>
      {hit.explanation?.map((part) => (
        <li key={part.name} title={EXPLAINED[part.name]}>
          {part.name} {part.value > 0 ? "+" : "−"}
          {Math.abs(part.value).toFixed(2)}
        </li>
      ))}
    </ul>
  );
}

function LeftOut({ recall, hits }: { recall: Recall; hits: Hit[] }) {
  return (
    <Section title="Left out">
      {recall.left_out ? (
        <p>
          {plural(recall.left_out, "thing")} had no room. {recall.how_to_get}
        </p>
      ) : (
        <p class="quiet-text">Everything that was chosen had room.</p>
      )}
      {hits.length > 0 && (
        <details>
          <summary>{plural(hits.length, "search hit")} not chosen</summary>
          <ul class="rows dense">
            {hits.map((hit) => (
              <li key={hit.id}>
                <div>
                  {hit.kind === "node" ? <NodeLink id={hit.id} title={hit.title} /> : hit.title}
                  <p class="reason">{hit.why}</p>
                </div>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}
