import type { TemplateParts } from '../schema';
import {
  checkTemplate,
  type Oversize,
  type ParsedTemplate,
  parseTemplate,
  type Rendered,
  renderTemplate,
  type TemplateIssue,
} from './liquid';

export type TemplateJob =
  | { kind: 'check'; parts: TemplateParts; declared: string[] }
  /** `key` names what is rendered, and never something else. */
  | { kind: 'render'; key: string | null; parts: TemplateParts; values: object };

export type TemplateJobResult =
  | { kind: 'checked'; issues: TemplateIssue[] }
  | { kind: 'rendered'; rendered: Rendered }
  | { kind: 'oversize'; oversize: Oversize };

const MAX_PARSED = 50;

/** Parsed templates by key, the last used one at the end. */
const parsedByKey = new Map<string, ParsedTemplate>();

/** Checks or renders a template, which can take as long as its author wants. */
export async function runTemplateJob(job: TemplateJob): Promise<TemplateJobResult> {
  if (job.kind === 'check') return { kind: 'checked', issues: checkTemplate(job.parts, job.declared) };
  const parsed = parsedFor(job.key, job.parts);
  if (Array.isArray(parsed)) return { kind: 'checked', issues: parsed };
  const result = renderTemplate(parsed, job.values);
  if ('message' in result) return { kind: 'checked', issues: [result] };
  return 'limit' in result ? { kind: 'oversize', oversize: result } : { kind: 'rendered', rendered: result };
}

function parsedFor(key: string | null, parts: TemplateParts): ParsedTemplate | TemplateIssue[] {
  if (key === null) return parseTemplate(parts);
  const parsed = parsedByKey.get(key) ?? parseTemplate(parts);
  if (Array.isArray(parsed)) return parsed;
  parsedByKey.delete(key);
  parsedByKey.set(key, parsed);
  const [oldest] = parsedByKey.keys();
  if (parsedByKey.size > MAX_PARSED && oldest !== undefined) parsedByKey.delete(oldest);
  return parsed;
}
