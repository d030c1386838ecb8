'use client';

import { Button } from '@mantine/core';
import { saveFile } from '@/components/save-file';
import { RawText } from '@/components/text/raw-text';
import { JsonText } from '@/components/values/json-text';
import { formatBytes } from '@/lib/format';
import type { Received } from './request';
import classes from './try-dialog.module.css';

/** @param name the file’s, if the response is saved */
export function Response({ received, name }: { received: Received; name: string }) {
  const { status, milliseconds, headers, file, text, isCut } = received;
  return (
    <section className={classes.response} aria-label="Response">
      <p role="status">
        <b>{status}</b>{' '}
        <span className="quiet">
          in {milliseconds} ms, {formatBytes(file.size)}
        </span>
      </p>
      {headers.length > 0 && <RawText>{headers.map(([key, value]) => `${key}: ${value}`).join('\n')}</RawText>}
      {text && (
        <RawText tabIndex={0} className={classes.body}>
          <JsonText text={text} />
        </RawText>
      )}
      {(isCut || (text === null && file.size > 0)) && (
        <div>
          <Button onClick={() => saveFile(file, name)}>Save the response</Button>
          {isCut && <span className="quiet"> Only its beginning is shown.</span>}
        </div>
      )}
    </section>
  );
}
