'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { SegmentedControl } from '@/components/segmented-control';
import { CodeBlock } from '@/components/values/code-block';
import { useOrigin } from '@/components/values/use-origin';
import { curlOf, nodeOf, pythonLiteral, pythonOf } from '@/lib/request-code';
import { LANGUAGES, useReferenceState } from './reference-state';
import type { CalledOperation } from './try/request';

const TryDialog = lazyDialog(() => import('./try/try-dialog').then((module) => module.TryDialog));

const CODE = { curl: curlOf, node: nodeOf, python: pythonOf };

export function LanguageSwitch() {
  const { language, setLanguage } = useReferenceState();
  return <SegmentedControl label="Language of the code" value={language} options={LANGUAGES} onChange={setLanguage} />;
}

/** Code that calls an operation with an API key, and a dialog that calls it from here. */
export function OperationCode({ operation, server }: { operation: CalledOperation; server: string }) {
  const { method, examplePath, body, file, isPublic, isSessionOnly, isRedirect, summary } = operation;
  const { language } = useReferenceState();
  const [isTrying, setIsTrying] = useState(false);
  const origin = useOrigin();
  const url = `${origin ? `${origin}/api/v1` : server}${examplePath}`;
  const text = body !== null && language === 'python' ? pythonLiteral(body) : body;
  return (
    <>
      {isSessionOnly || isRedirect ? (
        <p className="quiet">
          {isRedirect ? 'A browser opens this address.' : 'Needs the cookie of a session, as the console has it.'}
        </p>
      ) : (
        <CodeBlock
          title="Request"
          hint={LANGUAGES[language]}
          code={CODE[language]({ method, url, body: text, file, isPublic })}
          what={`the code: ${summary}`}
          isProgram
        />
      )}
      <Button w="fit-content" aria-label={`Try it: ${summary}`} onClick={() => setIsTrying(true)}>
        Try it
      </Button>
      <TryDialog opened={isTrying} operation={operation} onClose={() => setIsTrying(false)} />
    </>
  );
}
