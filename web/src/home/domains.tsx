/** All domains, with links to their home pages. */

import { useMemory } from "../memory";
import type { DomainSummary } from "../results";
import { addressOf } from "../route";
import { Ago, Result, Section } from "../ui";
import { count, plural } from "../words";

const SHOWN_DOMAINS = 5;

export function Domains() {
  const { value, error } = useMemory().domains;
  const rows = (domains: DomainSummary[]) => (
    <ul class="rows">
      {domains.map((summary) => (
        <DomainRow key={summary.name} summary={summary} />
      ))}
    </ul>
  );
  return (
    <Section title="Domains">
      <Result of={{ value, error: value ? undefined : error, loading: !value && !error }}>
        {(domains) => (
          <>
            {rows(domains.slice(0, SHOWN_DOMAINS))}
            {domains.length > SHOWN_DOMAINS && (
              <details>
                <summary>{count(domains.length - SHOWN_DOMAINS)} more</summary>
                {rows(domains.slice(SHOWN_DOMAINS))}
              </details>
            )}
          </>
        )}
      </Result>
    </Section>
  );
}

function DomainRow({ summary }: { summary: DomainSummary }) {
  const { domain } = useMemory();
  return (
    <li>
      <div>
        <a
          class="node-link"
          href={addressOf("home", { domain: summary.name })}
          aria-current={summary.name === domain ? "true" : undefined}
        >
          {summary.name}
        </a>
        <p class="reason">
          {plural(summary.events, "change")} · <Ago time={summary.modified} />
          {summary.forked_from && ` · branch of ${summary.forked_from}`}
        </p>
      </div>
    </li>
  );
}
