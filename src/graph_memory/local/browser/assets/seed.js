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

  // `graph-memory neo4j browser` opens an address that ends with where the login is, for whoever asks first. The request
  // is synchronous because Neo4j Browser starts after this script.
  function fetchedLogin() {
    const [, port, token] = location.hash.match(/^#login=(\d{1,5})\/([\w-]{43})$/) ?? [];
    if (!token) return null;
    history.replaceState(null, "", location.pathname + location.search);
    const request = new XMLHttpRequest();
    request.open("GET", `http://127.0.0.1:${port}/${token}`, false);
    request.send();
    const login = request.status === 200 ? JSON.parse(request.responseText) : null;
    return /^bolt:\/\/(localhost|127\.0\.0\.1):\d+$/.test(login?.host) ? login : null;
  }

  function connect(login) {
    const known = read("neo4j.connections")?.connectionsById?.[CONNECTION];
    const connection = { id: CONNECTION, name: CONNECTION, type: "bolt", authenticationMethod: "NATIVE", ...known };
    Object.assign(connection, login);
    write("neo4j.connections", { allConnectionIds: [CONNECTION], connectionsById: { [CONNECTION]: connection } });
  }

  function suggestUser() {
    if (!read("neo4j.connections")?.connectionsById?.[CONNECTION]?.username) connect({ username: "neo4j" });
  }

  function logIn() {
    const login = fetchedLogin();
    if (!login) return;
    const { host, username, password, domain } = login;
    connect({ host, username, password });
    write(DOMAIN, domain);
  }

  // The parameters that Neo4j Browser begins with: the domain that was opened last.
  function setParameters() {
    window.graphMemoryParams = { domain: read(DOMAIN) ?? "default" };
  }

  for (const step of [seed, suggestUser, logIn, setParameters]) {
    try {
      step();
    } catch (error) {
      console.warn("graph-memory:", error);
    }
  }
})();
