/** A recall as a list of things with their facts. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { ApiError } from "../api";
import { asApiError } from "../memory";
import type { Recall, RecallThing } from "../results";
import { Failure, Section, TypeChip } from "../ui";
import { asText, count, plural, sentence } from "../words";
import { Entity, Fact, type Observation } from "./facts";
import { callTool, contextOf, offers, type ShownCall } from "./host";
import { Lines } from "./views";

interface Link {
  id: string;
  type: string;
  from_id: string;
  to_id: string;
  from?: string;
  to?: string;
  until?: string;
}

/** The content of a recall of one domain: lists of things by their headings, and lists of other parts. */
type Content = Record<string, unknown>;

/** Arguments with which a recall shows an earlier state. */
const OF_THE_PAST = ["as_of", "valid_at"];
const THINGS = "things";
/** The parts of a content that are no lists of things. */
const OTHER_PARTS = ["connections", "counts", "changes", "notes", "guide"];
const ENDED = /^ended |^since .* until /;

/** Show a recall. The result in prose is shown until the client has called the tool again for its parts. */
export function RecallView({ call, recall }: { call: ShownCall; recall: Recall }) {
  const [parts, setParts] = useState<Recall | undefined>(isObject(recall.content) ? recall : undefined);
  const [prose, setProse] = useState(isObject(recall.content) ? "" : asText(recall.content));
  const [error, setError] = useState<ApiError>();
  const [message, setMessage] = useState("");
  const latest = useRef(0);
  const read = () => {
    const number = ++latest.current;
    const show = (action: () => void) => number === latest.current && action();
    callTool<Recall>("recall", { ...call.args, as: "structured" }).then(
      (result) => show(() => setParts(result)),
      (failure: unknown) => show(() => setError(asApiError(failure))),
    );
  };
  useEffect(() => {
    if (!parts && offers("recall")) read();
  }, []);
  const onDone = (text: string) => {
    setMessage(text);
    setProse("");
    read();
  };
  const contents = Object.entries(contentsOf(parts?.content)).filter(([, content]) => Object.keys(content).length);
  const { warnings = [] } = parts ?? recall;
  return (
    <>
      <header class="page-head">
        <h1>{asText(call.args["query"]) || "What the memory knows"}</h1>
        <p class="summary">
          {plural(recall.tokens_used, "token")}
          {recall.period && ` · ${recall.period}`}
          {recall.left_out ? ` · ${plural(recall.left_out, "thing")} left out` : ""}
        </p>
      </header>
      <p role="status" class="status">
        {message}
      </p>
      {error && <Failure error={error} />}
      <Lines texts={warnings} />
      {!contents.length && prose && <pre class="text">{prose}</pre>}
      {parts && !contents.length && !prose && !warnings.length && <p class="empty">Nothing was found.</p>}
      {contents.map(([domain, content]) => (
        <DomainContent key={domain} domain={domain} content={content} call={call} onDone={onDone} />
      ))}
    </>
  );
}

/** Return the content of each domain. A recall of the current domain has one content, of the domain "". */
function contentsOf(content: Content | undefined): Record<string, Content> {
  if (!isObject(content)) return {};
  return isObject(content["domains"]) ? (content["domains"] as Record<string, Content>) : { "": content };
}

interface ContentProps {
  domain: string;
  content: Content;
  call: ShownCall;
  onDone: (text: string) => void;
}

function DomainContent({ domain, content, call, onDone }: ContentProps) {
  const list = <T,>(key: string) => (content[key] ?? []) as T[];
  const connections = list<Link>("connections");
  const headings = Object.keys(content).filter((key) => Array.isArray(content[key]) && !OTHER_PARTS.includes(key));
  const titles = new Map<string, string>();
  for (const { id, title } of headings.flatMap((key) => list<RecallThing>(key))) if (id && title) titles.set(id, title);
  for (const { from_id, from, to_id, to } of connections) {
    if (from) titles.set(from_id, from);
    if (to) titles.set(to_id, to);
  }
  const things = (key: string) => (
    <ul class="rows things">
      {list<RecallThing>(key).map((thing) => (
        <Thing key={thing.id} thing={{ ...thing, ...(domain && { domain }) }} titles={titles} call={call} onDone={onDone} />
      ))}
    </ul>
  );
  return (
    <>
      {domain && <h2>Domain {domain}</h2>}
      {content["guide"] !== undefined && <pre class="text">{asText(content["guide"])}</pre>}
      <Lines texts={list("notes")} />
      <Lines texts={list<{ type: string; nodes: number }>("counts").map(({ type, nodes }) => `${type}: ${count(nodes)}`)} />
      <Lines texts={list("changes")} />
      {headings.includes(THINGS) && things(THINGS)}
      {headings
        .filter((key) => key !== THINGS)
        .map((key) => (
          <Section key={key} title={sentence(key)}>
            {things(key)}
          </Section>
        ))}
      {connections.length > 0 && (
        <Section title="Connections">
          <ul class="rows dense">
            {connections.map(({ id, type, from, from_id, to, to_id, until }) => (
              <li key={id}>
                <div>
                  {from ?? from_id} <span class="quiet-text">→ {type} →</span> {to ?? to_id}
                  {until && <span class="quiet-text"> until {until}</span>}
                </div>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

interface ThingProps {
  thing: RecallThing;
  /** The titles of the known nodes, by id. */
  titles: ReadonlyMap<string, string>;
  call: ShownCall;
  onDone: (text: string) => void;
}

function Thing({ thing, titles, call, onDone }: ThingProps) {
  const { id = "", type, when, text, summary, properties, observations, domain, from_id, to_id } = thing;
  const isConnection = from_id !== undefined;
  const ends = [from_id, to_id].map((end) => titles.get(asText(end)) ?? asText(end));
  const title = thing.title || (isConnection ? ends.join(" → ") : id);
  const context = { ...contextOf(call.args), ...(domain ? { domain } : {}) };
  const shared = {
    entity: id || title,
    name: title,
    context,
    readOnly: !id || ENDED.test(asText(when)) || OF_THE_PAST.some((name) => name in call.args),
    onDone,
  };
  const values = isObject(properties) ? Object.entries(properties) : [];
  const body = asText(text ?? summary);
  const more = Number(thing["more_observations"] ?? 0);
  return (
    <li>
      <div>
        <Entity id={id} isConnection={isConnection} {...shared}>
          <strong>{title}</strong> {type && <TypeChip type={type} />} <span class="quiet-text">{asText(when)}</span>
        </Entity>
        {values.length > 0 && (
          <p class="quiet-text">{values.map(([name, value]) => `${name}: ${asText(value)}`).join(" · ")}</p>
        )}
        {body && body !== title && <p class="body">{body}</p>}
        <ul class="facts">
          {((observations ?? []) as Observation[]).map((observation) => (
            <li key={`${observation.text} ${observation.when}`}>
              <Fact {...shared} observation={observation} />
            </li>
          ))}
        </ul>
        {more > 0 && <p class="quiet-text">{plural(more, "more observation")} left out</p>}
      </div>
    </li>
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
