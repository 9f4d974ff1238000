/** The filters of the list of nodes. The address holds their values. */

import { useResult } from "../memory";
import type { Ontology } from "../results";
import { setParameters, type Parameters } from "../route";
import { Field, Select } from "../ui";

const MORE = [
  ["path", "Path", "text", "Begins with, such as /house"],
  ["after", "Created after", "date", ""],
  ["before", "Created before", "date", ""],
  ["valid", "Valid on", "date", ""],
  ["session", "Changed in session", "text", ""],
  ["actor", "Changed by", "text", ""],
] as const;
const ORDERS = [
  ["", "Order of creation"],
  ["changed", "Newest changes first"],
] as const;
/** The filters that apply to the changes of a session or actor. */
const OF_LOG: readonly string[] = ["session", "actor"];

/** Return the names of the types of nodes. */
export function useNodeTypes(): string[] {
  const ontology = useResult<Ontology>("get_ontology", {});
  return ontology.value?.node_types.map((type) => (typeof type === "string" ? type : type.name)).sort() ?? [];
}

export function Filters({ parameters }: { parameters: Parameters }) {
  const types = useNodeTypes();
  const ofLog = parameters["session"] || parameters["actor"];
  const offered = MORE.filter(([name]) => !ofLog || OF_LOG.includes(name));
  const used = offered.filter(([name]) => parameters[name]).length;
  const set = (name: string) => (value: string) => setParameters({ [name]: value });
  return (
    <div class="filters">
      <Select
        label="Type"
        value={parameters["type"] ?? ""}
        options={[["", "All types"], ...types.map((type) => [type, type] as const)]}
        onChange={set("type")}
      />
      {!ofLog && !parameters["q"] && !parameters["tag"] && (
        <Select label="Order" value={parameters["order"] ?? ""} options={ORDERS} onChange={set("order")} />
      )}
      {!ofLog && <Field label="Tag" value={parameters["tag"] ?? ""} onInput={set("tag")} />}
      <details open={used > 0}>
        <summary>More filters{used ? ` (${used})` : ""}</summary>
        <div class="more">
          {offered.map(([name, label, type, hint]) => (
            <Field
              key={name}
              label={label}
              type={type}
              hint={hint}
              value={parameters[name] ?? ""}
              onInput={set(name)}
            />
          ))}
          {used > 0 && (
            <button
              type="button"
              class="quiet"
              onClick={() => setParameters(Object.fromEntries(MORE.map(([name]) => [name, ""])))}
            >
              Clear
            </button>
          )}
        </div>
      </details>
    </div>
  );
}
