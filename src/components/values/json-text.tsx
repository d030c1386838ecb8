import { useMemo } from 'react';
import classes from './json-text.module.css';
import { jsonTokens } from './json-tokens';

const CLASSES = { key: classes.key, string: classes.string, number: classes.number, literal: classes.literal };

/** JSON, formatted and colored; any other text as it is. */
export function JsonText({ text }: { text: string }) {
  const tokens = useMemo(() => jsonTokens(text), [text]);
  if (!tokens) return text;
  return tokens.map(({ kind, text: token }, index) =>
    kind === 'plain' ? (
      token
    ) : (
      // Tokens repeat, and those of a text never change.
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <span key={index} className={CLASSES[kind]}>
        {token}
      </span>
    ),
  );
}

/** An HTTP request or response: its head as it is, then its body, formatted if it is JSON. */
export function HttpText({ text }: { text: string }) {
  const end = /\r?\n\r?\n/.exec(text);
  if (!end) return <JsonText text={text} />;
  const bodyAt = end.index + end[0].length;
  return (
    <>
      {text.slice(0, bodyAt)}
      <JsonText text={text.slice(bodyAt)} />
    </>
  );
}
