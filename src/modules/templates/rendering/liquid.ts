import { CaptureTag, Context, Liquid, LiquidError, type Template as Node, Token } from 'liquidjs';
import { htmlToText, isTooMarkedUp } from '@/mail/mime/html-text';
import { measureWork, type Times } from '@/server/background/work-time';
import type { TemplateParts } from '../schema';

/** Cooperative limits of a part, of work and memory. The process that renders has a deadline and a limit of its memory besides. */
const RENDER_MS = 500;
/** The characters and list items that filters and tags make, all added up. A part of the largest size needs more than its characters. */
const MEMORY = 10_000_000;
const MAX_TEMPLATE_CHARACTERS = 300_000;
/** The characters of a rendered part. */
const MAX_RENDERED = 5 * 1024 * 1024;
const MAX_ISSUES = 20;
/** The tags that read other templates. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'];
/** The filters with an expression in a text, which isn't checked for variables that are not declared. */
const EXPRESSION_FILTERS = /_exp$/;

type Part = keyof TemplateParts;

/** A problem in a template, with its position. Lines and columns start at 1. */
export type TemplateIssue = {
  part: Part;
  line: number;
  column: number;
  message: string;
  /** Whether a limit ended it that other values may not reach. */
  isExhausted?: boolean;
};

/** The size of a part that is too large. */
export type Oversize = { part: Part; characters: number; limit: number };

export type ParsedTemplate = Record<Part, Node[] | null>;

export type Rendered = { subject: string; html_body: string | null; text_body: string };

const PARTS: readonly Part[] = ['subject', 'html_body', 'text_body'];

/** The tag capture, whose text counts as memory. The library counts only what filters make. */
class CountedCapture extends CaptureTag {
  override *render(ctx: Context): Generator<unknown, void, string> {
    yield* super.render(ctx);
    ctx.memoryLimit.use(String(ctx.bottom()[this.variable]).length);
  }
}

findPositionsByLine();
const [html, plain] = [createEngine('escape'), createEngine()];

/** Values are escaped in HTML, and in the subject and the text as they are. */
function engineOf(part: Part): Liquid {
  return part === 'html_body' ? html : plain;
}

function createEngine(outputEscape?: 'escape'): Liquid {
  const engine = new Liquid({
    outputEscape,
    strictFilters: true,
    ownPropertyOnly: true,
    parseLimit: MAX_TEMPLATE_CHARACTERS,
    memoryLimit: MEMORY,
    // There are no files.
    templates: {},
    timezoneOffset: 0,
    preserveTimezones: true,
    locale: 'en-US',
    dateFormat: '%Y-%m-%d',
  });
  for (const tag of FILE_TAGS) delete engine.tags[tag];
  for (const filter of Object.keys(engine.filters)) if (EXPRESSION_FILTERS.test(filter)) delete engine.filters[filter];
  engine.registerTag('capture', CountedCapture);
  return engine;
}

/** Parses each part. */
export function parseTemplate(parts: TemplateParts): ParsedTemplate | TemplateIssue[] {
  const issues: TemplateIssue[] = [];
  const parsed: ParsedTemplate = { subject: null, html_body: null, text_body: null };
  for (const part of PARTS) {
    const source = parts[part];
    if (source === null) continue;
    try {
      parsed[part] = engineOf(part).parse(source);
    } catch (error) {
      issues.push(issueOf(part, error));
    }
  }
  return issues.length > 0 ? issues : parsed;
}

/** Parses each part and finds variables that are not declared. */
export function checkTemplate(parts: TemplateParts, declared: readonly string[]): TemplateIssue[] {
  const parsed = parseTemplate(parts);
  if (Array.isArray(parsed)) return parsed;
  return PARTS.flatMap((part) => undeclared(part, parsed[part] ?? [], new Set(declared))).slice(0, MAX_ISSUES);
}

function undeclared(part: Part, nodes: Node[], declared: ReadonlySet<string>): TemplateIssue[] {
  const { globals } = engineOf(part).analyzeSync(nodes, { partials: false });
  return Object.entries(globals).flatMap(([name, [first]]) => {
    if (declared.has(name) || !first) return [];
    const { row: line, col: column } = first.location;
    return [{ part, line, column, message: `The variable ${name} is not declared.` }];
  });
}

/** Renders each part. The text is made of the HTML if the template has none. */
export function renderTemplate(
  parsed: ParsedTemplate,
  values: object,
  times?: () => Times,
): Rendered | TemplateIssue | Oversize {
  const rendered: Record<Part, string | null> = { subject: null, html_body: null, text_body: null };
  for (const part of PARTS) {
    const nodes = parsed[part];
    if (nodes === null) continue;
    try {
      const text: string = engineOf(part).renderSync(nodes, contextOf(engineOf(part), values, times));
      // A loop makes a long text of shared pieces, which takes memory only once it is read.
      if (text.length > MAX_RENDERED) return { part, characters: text.length, limit: MAX_RENDERED };
      // A filter such as slice can divide a character of two code units.
      rendered[part] = text.toWellFormed();
    } catch (error) {
      return issueOf(part, error);
    }
  }
  const { subject, html_body, text_body } = rendered;
  if (text_body === null && isTooMarkedUp(html_body ?? '')) return TOO_MARKED_UP;
  return { subject: subject ?? '', html_body, text_body: text_body ?? htmlToText(html_body ?? '', { hasLinks: true }) };
}

/** Its limit is of work. That of the library is of the clock, which also runs while other programs have the processors. */
function contextOf(engine: Liquid, values: object, times?: () => Times): Context {
  const context = new Context(values, engine.options, { sync: true }, { liquid: engine });
  const worked = measureWork(times);
  let checkAt = performance.now() + RENDER_MS;
  context.renderLimit.check = (clock) => {
    if (clock < checkAt) return;
    const left = RENDER_MS - worked();
    if (left <= 0) throw new Error('render limit exceeded');
    checkAt = clock + left;
  };
  return context;
}

const TOO_MARKED_UP: TemplateIssue = {
  part: 'text_body',
  line: 1,
  column: 1,
  message: 'The HTML has too many tags to make the text of it. Enter a text.',
};

/** Any error is one of the template: filters throw errors of JavaScript when a list or a text is too long. */
function issueOf(part: Part, error: unknown): TemplateIssue {
  if (!LiquidError.is(error)) return { part, line: 1, column: 1, ...messageOf((error as Error).message) };
  const { message, token, originalError } = error as LiquidError;
  const [line = 1, column = 1] = token.getPosition();
  return { part, line, column, ...messageOf(originalError?.message ?? message) };
}

function messageOf(text: string): Pick<TemplateIssue, 'message' | 'isExhausted'> {
  if (text.includes('render limit'))
    return { message: `Rendering takes longer than ${RENDER_MS} ms.`, isExhausted: true };
  if (/alloc limit|string length|array length/.test(text))
    return { message: 'Rendering needs too much memory.', isExhausted: true };
  if (text.includes('call stack')) return { message: 'The blocks are nested too deeply.' };
  const [first = ''] = text.replace(/, line:\d+, col:\d+[\s\S]*$/, '').split('\n');
  return { message: `${first.charAt(0).toUpperCase()}${first.slice(1, 300)}.` };
}

/** The last template and where its lines start. */
let known = { input: '', starts: [0] };

/**
 * Makes tokens of Liquid find their line and column with the lines of the template. The library reads the template from its start for
 * every variable, which takes half a minute for a large one.
 */
function findPositionsByLine(): void {
  Token.prototype.getPosition = function (this: Token) {
    if (known.input !== this.input) known = { input: this.input, starts: lineStarts(this.input) };
    const { starts } = known;
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= this.begin) low = middle;
      else high = middle;
    }
    return [low + 1, this.begin - (starts[low] as number) + 1];
  };
}

function lineStarts(input: string): number[] {
  const starts = [0];
  for (let at = input.indexOf('\n'); at >= 0; at = input.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
