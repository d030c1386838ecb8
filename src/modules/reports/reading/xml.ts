import { Parser } from 'htmlparser2';
import { LIMITS, UnreadableReport } from './report';

export type XmlHandlers = {
  open: (path: string) => void;
  /** The text of an element itself, without that of elements in it. */
  value: (path: string, text: string) => void;
  /** @param isCut whether the file ends before the element does */
  close: (path: string, isCut: boolean) => void;
};

type Element = { name: string; text: string; hasChildren: boolean };

// Tags that nobody closes stay open until the end.
const MAX_OPEN = 10_000;

/**
 * Reads XML as far as it goes: a stray `<` or `&` is text, and a tag that isn't closed ends with the one around it. Names are in
 * lower case and without prefix. A path begins at the last element called `root`; elements outside of it are skipped. No
 * entities but those of XML itself are expanded. @throws UnreadableReport
 */
export async function readXml(texts: AsyncIterable<string>, root: string, handlers: XmlHandlers): Promise<void> {
  const stack: Element[] = [];
  let open = 0;
  let isCdata = false;
  let isCut = false;
  const path = () => {
    const start = stack.findLastIndex(({ name }) => name === root);
    return start < 0 ? null : stack.slice(start).map(({ name }) => name);
  };

  const closeTop = (cut: boolean) => {
    const names = path()?.join('/');
    const element = stack.pop();
    if (!element || names === undefined) return;
    if (element.text.trim() !== '' || !element.hasChildren) handlers.value(names, element.text);
    handlers.close(names, cut);
  };

  const parser = new Parser(
    {
      onprocessinginstruction(name, data) {
        if (name.toLowerCase() === '!doctype' && data.includes('[')) {
          throw new UnreadableReport('The XML declares entities, which reports don’t need.');
        }
      },
      onopentagname(tag) {
        open += 1;
        const name = tag.slice(tag.indexOf(':') + 1);
        // A second one inside the first means that the first was never closed.
        const earlier = stack.findIndex((element) => REPEATED.has(element.name) && element.name === name);
        while (earlier >= 0 && stack.length > earlier) closeTop(false);
        if (stack.length >= LIMITS.depth || open > MAX_OPEN)
          throw new UnreadableReport('The XML is nested too deeply.');
        const parent = stack.at(-1);
        if (parent) parent.hasChildren = true;
        stack.push({ name, text: '', hasChildren: false });
        const names = path();
        if (names) handlers.open(names.join('/'));
      },
      ontext(text) {
        const element = stack.at(-1);
        if (!element || element.text.length >= LIMITS.commentLength) return;
        element.text += (isCdata ? text.replaceAll('&lt;', '<') : text).slice(0, LIMITS.commentLength);
      },
      oncdatastart: () => {
        isCdata = true;
      },
      oncdataend: () => {
        isCdata = false;
      },
      onclosetag(tag) {
        open -= 1;
        const name = tag.slice(tag.indexOf(':') + 1);
        const index = stack.findLastIndex((element) => element.name === name);
        while (index >= 0 && stack.length > index) closeTop(isCut);
      },
    },
    { xmlMode: true, lowerCaseTags: true },
  );
  for await (const text of withStrayBrackets(texts)) parser.write(text);
  isCut = true;
  parser.end();
}

/** Elements of which a report has many, side by side. */
const REPEATED = new Set(['record']);

/** A `<` that begins no tag. */
const STRAY = /<(?![/!?]|[A-Za-z_][\w:.-]*[\s/>])/g;
const LONGEST_NAME = 100;

async function* withStrayBrackets(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let kept = '';
  for await (const text of texts) {
    const all = kept + text;
    // A tag's name may go on in the next piece.
    const last = all.lastIndexOf('<');
    const end = last >= all.length - LONGEST_NAME && last >= 0 ? last : all.length;
    kept = all.slice(end);
    yield all.slice(0, end).replace(STRAY, '&lt;');
  }
  yield kept.replace(STRAY, '&lt;');
}
