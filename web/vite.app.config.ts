import { defineConfig, type Plugin, type Rolldown } from "vite";

const PAGE = "mcp_app.html";

/** Move scripts and styles into the page, and allow nothing but them in its Content-Security-Policy. */
function inline(): Plugin {
  return {
    name: "inline",
    generateBundle: {
      order: "post",
      handler: (_, bundle) => inlineInto(bundle),
    },
  };
}

async function inlineInto(bundle: Rolldown.OutputBundle): Promise<void> {
  const page = bundle[PAGE];
  if (page?.type !== "asset") throw new Error(`There is no ${PAGE}`);
  const scripts: string[] = [];
  const styles: string[] = [];
  for (const [name, file] of Object.entries(bundle)) {
    if (file.type === "chunk") scripts.push(file.code.trim().replaceAll("</script", "<\\/script"));
    else if (name.endsWith(".css")) styles.push(String(file.source).trim());
    else continue;
    delete bundle[name];
  }
  const policy = [
    "default-src 'none'",
    `script-src ${await hashesOf(scripts)}`,
    `style-src ${await hashesOf(styles)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const style = styles.map((text) => `<style>${text}</style>`).join("");
  const script = scripts.map((text) => `<script type="module">${text}</script>`).join("");
  page.source = String(page.source)
    .replace(/\s*<(script|link)[^>]*(src|href)="[^"]*"[^>]*>(<\/script>)?/g, "")
    .replace('<meta charset="utf-8" />', (charset) => charset + head)
    .replace("</head>", () => `${style}</head>`)
    .replace("</body>", () => `${script}</body>`);
}

/** Return the sources of a policy that allow these texts. */
async function hashesOf(texts: string[]): Promise<string> {
  const digests = texts.map((text) => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const hashes = (await Promise.all(digests)).map((digest) => btoa(String.fromCharCode(...new Uint8Array(digest))));
  return hashes.map((hash) => `'sha256-${hash}'`).join(" ");
}

export default defineConfig({
  plugins: [inline()],
  publicDir: false,
  build: {
    outDir: "../src/graph_memory/viewer",
    emptyOutDir: false,
    rolldownOptions: { input: PAGE },
    cssCodeSplit: false,
    license: { fileName: "mcp_app_licenses.md" },
    modulePreload: false,
  },
});
