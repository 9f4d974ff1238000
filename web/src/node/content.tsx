/** The content of a node: Markdown, JSON, pictures, text, or a file to save. */

import { useEffect, useState } from "preact/hooks";

import { useResult } from "../memory";
import type { NodeContent, NodeInfo } from "../results";
import { Result } from "../ui";
import { bytes } from "../words";
import { Markdown } from "./markdown";

const PICTURES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  svg: "image/svg+xml",
};
const MAX_SHOWN = 200_000;
const MAX_READ = 8_000_000;

export function ContentPreview({ node }: { node: NodeInfo }) {
  const [isWanted, setWanted] = useState(node.content_size <= MAX_READ);
  const content = useResult<NodeContent>("get_node_content", isWanted ? { node_id: node.id } : null);
  if (!isWanted) {
    return (
      <button type="button" onClick={() => setWanted(true)}>
        Read {bytes(node.content_size)}
      </button>
    );
  }
  return <Result of={content}>{(value) => <Preview content={value} title={node.title} />}</Result>;
}

function Preview({ content, title }: { content: NodeContent; title: string }) {
  const picture = PICTURES[content.format.toLowerCase().replace(/^image\/|\+xml$/g, "")];
  if (picture) return <Picture content={content} type={picture} title={title} />;
  if (content.encoding === "base64") return <Download content={content} title={title} />;
  const text = content.content.slice(0, MAX_SHOWN);
  const rest = content.content.length - text.length;
  return (
    <>
      {/^(markdown|md|text\/markdown)$/i.test(content.format) ? (
        <Markdown text={text} />
      ) : (
        <pre class="text">{asPrettyText(text, content.format)}</pre>
      )}
      {rest > 0 && <p class="hint">{rest.toLocaleString("en")} more characters are not shown.</p>}
    </>
  );
}

function Picture({ content, type, title }: { content: NodeContent; type: string; title: string }) {
  const address = useBlob(content, type);
  return address ? <img class="picture" src={address} alt={title} /> : null;
}

function Download({ content, title }: { content: NodeContent; title: string }) {
  const address = useBlob(content, "application/octet-stream");
  return (
    <p>
      <a href={address} download={`${title}.${content.format}`}>
        Save this {content.format} file
      </a>
    </p>
  );
}

/** Return an address of the content. A picture at such an address runs no scripts. */
function useBlob(content: NodeContent, type: string): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytesOf(content)], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  return address;
}

function bytesOf({ content, encoding }: NodeContent): Uint8Array<ArrayBuffer> {
  if (encoding === "utf-8") return new Uint8Array(new TextEncoder().encode(content));
  return Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
}

function asPrettyText(text: string, format: string): string {
  if (!/json/i.test(format)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
