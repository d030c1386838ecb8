'use client';

import 'swagger-ui-dist/swagger-ui.css';
import './api-reference.css';
import { useEffect, useRef, useState } from 'react';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { ErrorNote } from '@/components/ledger/notes';

const DOCUMENT = '/api/v1/openapi.json';

export function ApiReference() {
  const root = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    const node = root.current;
    if (!node) return;
    const abort = new AbortController();
    const naming = new MutationObserver(() => nameFields(node));
    naming.observe(node, { childList: true, subtree: true });
    setFailure(null);
    fetch(DOCUMENT, { signal: abort.signal })
      .then(async (response) => {
        if (!response.ok) throw new Error(`${DOCUMENT} answered ${response.status}`);
        SwaggerUI({
          spec: await response.json(),
          domNode: node,
          validatorUrl: null,
          docExpansion: 'list',
          defaultModelsExpandDepth: 0,
          displayRequestDuration: true,
          tryItOutEnabled: false,
          persistAuthorization: false,
          withCredentials: true,
        });
      })
      .catch((error: Error) => {
        if (!abort.signal.aborted) setFailure(error);
      });
    return () => {
      abort.abort();
      naming.disconnect();
      node.replaceChildren();
    };
  }, [attempt]);

  return (
    <>
      {failure && <ErrorNote what="the API document" error={failure} onRetry={() => setAttempt(attempt + 1)} />}
      <div ref={root} className="reference" hidden={failure !== null} />
    </>
  );
}

// Swagger UI leaves its body editors and some of its choices without a name for a screen reader.
function nameFields(root: HTMLElement): void {
  for (const field of root.querySelectorAll('textarea:not([aria-label]), select:not([aria-label])')) {
    field.setAttribute('aria-label', field.matches('textarea') ? 'Request body' : 'Choice');
  }
}
