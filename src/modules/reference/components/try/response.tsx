'use client';

import { Button } from '@mantine/core';
import { saveFile } from '@/components/save-file';
import { RawText } from '@/components/text/raw-text';
import { JsonText } from '@/components/values/json-text';
import { formatBytes } from '@/lib/format';
import { MAX_READ, MAX_SHOWN, type Received } from './receive';
import classes from './try-dialog.module.css';

type ResponseProps = {
  received: Received;
  /** The file’s name, unless the server gave it one. */
  name: string;
  credentials: string;
  /** The address of the file, if the browser can download it with the session. */
  download?: string;
};

export function Response({ received, name, credentials, download }: ResponseProps) {
  const { status, milliseconds, headers, file, text, isPartial } = received;
  return (
    <section className={classes.response} aria-label="Response">
      <p>
        <b>{status}</b>{' '}
        <span className="quiet">
          {credentials} in {milliseconds} ms, {isPartial && 'more than '}
          {formatBytes(isPartial ? MAX_READ : file.size)}
        </span>
      </p>
      {headers.length > 0 && <RawText>{headers.map(([key, value]) => `${key}: ${value}`).join('\n')}</RawText>}
      {text && (
        <RawText tabIndex={0} className={classes.body}>
          <JsonText text={text} />
        </RawText>
      )}
      {isPartial || file.size > MAX_SHOWN ? <p className="quiet">Only the beginning is shown.</p> : null}
      {isPartial && !download && (
        <p className="quiet">Reading stopped at {formatBytes(MAX_READ)}. The code of the operation saves everything.</p>
      )}
      {isPartial && download && (
        <Button component="a" href={download} download w="fit-content">
          Download the file
        </Button>
      )}
      {!isPartial && file.size > 0 && (
        <Button w="fit-content" onClick={() => saveFile(file, received.name ?? name)}>
          Save the response
        </Button>
      )}
    </section>
  );
}
