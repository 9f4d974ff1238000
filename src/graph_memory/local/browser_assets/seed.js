// Prepares Neo4j Browser before it starts: style, saved queries and first command. What the user has changed or
// deleted since is left alone. It all lives in the browser's local storage, where Neo4j Browser keeps it.
(() => {
  "use strict";
  const MARK = "graph-memory.seeds";
  const DOMAIN = "graph-memory.domain";
  const FOLDER = "graph-memory";
  const CONNECTION = "$$discovery";
  const DEFAULTS = { settings: { initCmd: ":play start" } };

  const read = (key) => JSON.parse(localStorage.getItem(key) ?? "null");
  const write = (key, value) => localStorage.setItem(key, JSON.stringify(value));
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  // Three maps: what is there, what we put there last time, what we would put there now.
  function merged(current, before, ours) {
    const result = { ...current };
    for (const key of new Set([...Object.keys(before), ...Object.keys(ours)])) {
      const untouched = key in before ? same(current[key], before[key]) : !(key in current);
      if (untouched && key in ours) result[key] = ours[key];
      if (untouched && !(key in ours)) delete result[key];
    }
    return result;
  }

  function byId(list) {
    return Object.fromEntries((list ?? []).filter((one) => one.id).map((one) => [one.id, one]));
  }

  function favourites(queries) {
    const entries = Object.entries(queries).map(([title, content]) => {
      const id = `${FOLDER}-${title}`;
      return [id, { id, folder: FOLDER, content }];
    });
    return Object.fromEntries(entries);
  }

  function seed() {
    const ours = {
      style: graphMemorySeeds.style,
      documents: favourites(graphMemorySeeds.queries),
      folders: { [FOLDER]: { id: FOLDER, name: FOLDER } },
      settings: { initCmd: Object.values(graphMemorySeeds.queries)[0] },
    };
    const before = { style: {}, documents: {}, folders: {}, ...DEFAULTS, ...read(MARK) };
    if (same(ours, read(MARK))) return;
    write("neo4j.grass", merged(read("neo4j.grass") ?? {}, before.style, ours.style));
    write("neo4j.settings", merged({ ...DEFAULTS.settings, ...read("neo4j.settings") }, before.settings, ours.settings));
    for (const name of ["documents", "folders"]) {
      const there = read(`neo4j.${name}`) ?? [];
      const static_ = there.filter((one) => !one.id);
      write(`neo4j.${name}`, [...static_, ...Object.values(merged(byId(there), before[name], ours[name]))]);
    }
    write(MARK, ours);
  }

  // `graph-memory neo4j browser` opens an address that ends with the login. It is taken over and out of the address.
  function logIn() {
    const [, given] = location.hash.match(/^#login=(.+)$/) ?? [];
    const { host, username, password, domain } = given ? JSON.parse(decodeURIComponent(given)) : { username: "neo4j" };
    const known = read("neo4j.connections")?.connectionsById?.[CONNECTION];
    if (given) history.replaceState(null, "", location.pathname + location.search);
    if (domain) write(DOMAIN, domain);
    if (known?.username && !given) return;
    const connection = { id: CONNECTION, name: CONNECTION, type: "bolt", authenticationMethod: "NATIVE", ...known };
    Object.assign(connection, { username, ...(given && { host, password }) });
    write("neo4j.connections", { allConnectionIds: [CONNECTION], connectionsById: { [CONNECTION]: connection } });
  }

  // The parameters that Neo4j Browser begins with: the domain that was opened last.
  function setParameters() {
    window.graphMemoryParams = { domain: read(DOMAIN) ?? "default" };
  }

  for (const step of [seed, logIn, setParameters]) {
    try {
      step();
    } catch (error) {
      console.warn("graph-memory:", error);
    }
  }
})();
