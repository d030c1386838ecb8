'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { CodeBlock } from '@/components/values/code-block';
import { useOrigin } from '@/components/values/use-origin';
import { pythonLiteral } from '@/lib/request-code';
import { CODE, LANGUAGES, useLanguage } from './language';
import type { CalledOperation } from './try/request';

const TryDialog = lazyDialog(() => import('./try/try-dialog').then((module) => module.TryDialog));

/** Code that calls an operation with an API key, and a dialog that calls it from here. */
export function OperationCode({ operation }: { operation: CalledOperation }) {
  const { method, examplePath, body, isPublic, isSessionOnly, summary } = operation;
  const [language] = useLanguage();
  const [isTrying, setIsTrying] = useState(false);
  const url = `${useOrigin()}/api/v1${examplePath}`;
  const text = body !== null && language === 'python' ? pythonLiteral(body) : body;
  return (
    <>
      {isSessionOnly ? (
        <p className="quiet">Only the console calls this operation, with your session.</p>
      ) : (
        <CodeBlock
          title="Request"
          hint={LANGUAGES[language]}
          code={CODE[language]({ method, url, body: text, isPublic })}
          what={`the code: ${summary}`}
        />
      )}
      <Button w="fit-content" aria-label={`Try it: ${summary}`} onClick={() => setIsTrying(true)}>
        Try it
      </Button>
      <TryDialog opened={isTrying} operation={operation} onClose={() => setIsTrying(false)} />
    </>
  );
}
