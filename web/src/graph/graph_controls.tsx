/** The choices of how a graph is shown. The address holds them. */

import { setParameters, type Parameters } from "../route";
import { Select } from "../ui";
import { LAYOUTS } from "./layouts";
import { COLOURS } from "./palette";

const SIZES = [
  ["degree", "Connections"],
  ["weight", "Weight"],
  ["equal", "All equal"],
] as const;
const FORMS = [
  ["", "Picture"],
  ["list", "List"],
] as const;

const set = (name: string) => (value: string) => setParameters({ [name]: value });

export function Controls({ parameters }: { parameters: Parameters }) {
  return (
    <div class="filters">
      <Select label="Layout" value={parameters["layout"] ?? "force"} options={LAYOUTS} onChange={set("layout")} />
      <Select label="Colour" value={parameters["colour"] ?? "type"} options={COLOURS} onChange={set("colour")} />
      <Select label="Size" value={parameters["size"] ?? "degree"} options={SIZES} onChange={set("size")} />
      <ShowAs parameters={parameters} />
    </div>
  );
}

export function ShowAs({ parameters }: { parameters: Parameters }) {
  return <Select label="Show as" value={parameters["as"] ?? ""} options={FORMS} onChange={set("as")} />;
}

export function WithoutWebGL() {
  return <p class="hint">This browser has no WebGL2, so the graph is shown as a list with the same actions.</p>;
}
