/** The results of operations, as far as the viewer shows them. */

export type Scalar = string | number | boolean;
export type Value = Scalar | Value[] | { [key: string]: Value };

export interface NodeBrief {
  id: string;
  type: string;
  title: string;
  domain?: string;
}

export interface NodeInfo extends NodeBrief {
  created: string;
  modified: string;
  properties: Record<string, Value>;
  content_format: string;
  content_encoding: "utf-8" | "base64";
  content_size: number;
  version: number;
  tags?: string[];
  path?: string;
  namespace?: string;
  content_summary?: string;
  metadata?: Record<string, Value>;
  valid_from?: string;
  valid_to?: string;
  protection?: {
    is_read_only: boolean;
    locked_by: string;
    reason?: string;
    expires_at?: string;
    can_be_unprotected_by?: string[];
  };
}

export interface NodeContent {
  content: string;
  encoding: "utf-8" | "base64";
  format: string;
}

export interface NodePage {
  node_ids: string[];
  nodes?: NodeBrief[];
  next_cursor?: string;
  warnings?: string[];
}

export interface Connection {
  id: string;
  type: string;
  from_id: string;
  from_title: string;
  to_id: string;
  to_title: string;
  inferred?: true;
  weight: number;
  since?: string;
  until?: string;
}

export interface Neighbors {
  node: NodeBrief & { modified: string; version: number; properties: Record<string, Value> };
  outgoing: Connection[];
  incoming: Connection[];
  neighbors: NodeBrief[];
  left_out?: true;
}

export interface Followed {
  id: string;
  type: string;
  from_id: string;
  to_id: string;
  weight: number;
}

export interface Paths {
  paths: { nodes: NodeBrief[]; connections: Followed[]; length: number }[];
  tried?: string;
}

export interface ScorePart {
  name: string;
  value: number;
}

export interface Hit {
  id: string;
  kind: "node" | "connection";
  type: string;
  title: string;
  score?: number;
  why: string;
  passage?: string;
  place?: string;
  explanation?: ScorePart[];
}

export interface SearchResult {
  hits: Hit[];
  found: number;
  mode: string;
  next_cursor?: string;
  left_out?: number;
  warnings?: string[];
}

export interface Community {
  id: string;
  label: string;
  size: number;
  types: Record<string, number>;
  nodes: NodeBrief[];
}

export interface Communities {
  communities: Community[];
  edges: { from_id: string; to_id: string; connections: number }[];
  members?: Record<string, string>;
  nodes: number;
  left_out?: number;
  /** The position of the log that it was computed from; missing until the first computation has ended. */
  at?: number;
  seq: number;
  is_computing: boolean;
  warnings?: string[];
}

export interface NodeUses {
  nodes: { id: string; count: number; last: string }[];
}

export type Verdict = "accept" | "reject" | "edit";

export interface Reviews {
  verdicts: Record<string, Verdict>;
  /** Who gave the verdicts, as far as known. */
  reviewers?: Record<string, string>;
  /** Changes up to this position without a verdict are not in the domain's own log. */
  settled: number;
}

export interface LogEntry {
  seq: number;
  at: string;
  by: string;
  summary: string;
  id: string;
  operation: "create" | "update" | "delete";
  kind: string;
  subject: string;
  type?: string;
  /** The start of a connection, or the entity of an observation. */
  from_id?: string;
  to_id?: string;
  session?: string;
  source?: string;
  actor?: string;
  batch: string;
  before?: Record<string, Value>;
  after?: Record<string, Value>;
}

export interface LogPage {
  entries: LogEntry[];
  next_cursor?: string;
}

export interface Finding {
  kind: string;
  about: string[];
  reason: string;
  /** For a duplicate: the id that `decide` takes. */
  question?: string;
  call: { tool: string; arguments: Record<string, Value>; not_offered?: string };
  choices?: Record<string, string>;
}

export interface Health {
  entities: number;
  observations: number;
  relations: number;
  counts: Record<string, number>;
  findings: Finding[];
  left_out: number;
}

export interface SimilarEntities {
  similar: { name: string; type: string; score: number; reasons: string[] }[];
}

export interface EntityList {
  entities: { name: string }[];
}

export interface EntitiesMerged {
  into: string;
  id: string;
  observations_moved: number;
  relations_moved: number;
  conflicts: { what: string; kept: string; not_taken: string }[];
}

export interface Forgotten {
  entities: number;
  observations: number;
  relations: number;
  domains?: string[];
  /** Texts of other nodes that name the entity and are kept. */
  stays?: string[];
  more_stays?: number;
}

export interface Contradictions {
  contradictions: { connection_id: string; a: NodeBrief & { modified: string }; b: NodeBrief & { modified: string } }[];
}

export interface Goal {
  id: string;
  description: string;
  status: string;
  deadline?: string;
  steps?: { number: number; text: string; done: boolean }[];
  progress: number;
  blocked_reason?: string;
}

export interface DomainSummary {
  name: string;
  created: string;
  modified: string;
  events: number;
  forked_from?: string;
  forked_at?: number;
  description?: string;
}

export interface DomainInfo extends DomainSummary {
  nodes: number;
  connections: number;
  content_bytes: number;
  not_indexed: number;
  without_vectors: number;
  branches?: string[];
  protection?: {
    is_read_only: boolean;
    last_modified_by: string;
    protection_reason?: string;
    expires_at?: string;
    can_be_unprotected_by?: string[];
  };
}

export interface Ontology {
  node_types: (string | { name: string })[];
  connection_types: (string | { name: string; inverse?: string; symmetric?: boolean })[];
}

export interface Entity {
  id?: string;
  name: string;
  entityType?: string;
  observation_details?: { id: string; text: string; ts: string; source?: string; confidence?: number }[];
}

export type DiffOperation = "added" | "removed" | "changed";

export interface DiffEntry {
  subject: string;
  kind: string;
  type?: string;
  title?: string;
  operation: DiffOperation;
  summary: string;
  properties?: ValueChange[];
  attributes?: ValueChange[];
  content?: { diff?: string; note?: string };
}

export interface ValueChange {
  name: string;
  before?: Value;
  after?: Value;
  /** Whether graph-memory keeps the value itself, such as a protection. Users may have properties with the same name. */
  isSystem?: boolean;
}

export interface Diff {
  added: number;
  removed: number;
  changed: number;
  since: number;
  until: number;
  against?: string;
  by_kind: Record<string, { added: number; removed: number; changed: number }>;
  entries: DiffEntry[];
  next_cursor?: string;
}

export interface Reverted {
  dry_run: boolean;
  batch?: string;
  changes: { subject: string; kind: string; operation: string; seq: number; title?: string; type?: string }[];
  more_changes?: number;
  skipped: { subject: string; title?: string; reason: string }[];
  more_skipped?: number;
}

export interface MergeConflict {
  subject: string;
  kind: string;
  type?: string;
  title?: string;
  conflict: string;
  reason: string;
  property?: string;
  base?: Value;
  ours?: Value;
  theirs?: Value;
  takes: ("ours" | "theirs")[];
  resolve: Record<string, string>[];
}

export interface Merged {
  source: string;
  target: string;
  seq?: number;
  batch?: string;
  created: number;
  updated: number;
  deleted: number;
  changes: { subject: string; kind: string; operation: string; title?: string; type?: string }[];
  conflicts: MergeConflict[];
  more_conflicts?: number;
}

export interface RecallThing {
  id?: string;
  type?: string;
  title?: string;
  [key: string]: unknown;
}

export interface Recall {
  depth: string;
  tokens_used: number;
  content: { things?: RecallThing[]; connections?: unknown[]; [key: string]: unknown };
  mode?: string;
  period?: string;
  shortened?: number;
  left_out?: number;
  how_to_get?: string;
  warnings?: string[];
}
