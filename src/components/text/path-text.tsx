import { Fragment } from 'react';

const AFTER_SLASH = /(?<=[^/]\/)(?=[^/])/;

/** A path or URL that wraps after a slash rather than within a name. */
export function PathText({ children: path }: { children: string }) {
  return (
    <span>
      {path.split(AFTER_SLASH).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts can be equal, and their order is fixed.
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}
