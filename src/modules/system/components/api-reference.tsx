'use client';

import 'swagger-ui-dist/swagger-ui.css';
import './api-reference.css';
import { useCallback, useEffect, useRef, useState } from 'react';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { ErrorState } from '@/components/data-table/states';

const DOCUMENT = '/api/v1/openapi.json';

export function ApiReference() {
  const root = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState<Error | null>(null);

  const draw = useCallback(() => {
    setFailure(null);
    fetch(DOCUMENT)
      .then(async (response) => {
        if (!response.ok) throw new Error(`${DOCUMENT} answered ${response.status}`);
        const spec: object = await response.json();
        if (root.current) drawInto(root.current, spec);
      })
      .catch(setFailure);
  }, []);

  useEffect(() => {
    const node = root.current;
    if (!node) return;
    const naming = new MutationObserver(() => nameFields(node));
    naming.observe(node, { childList: true, subtree: true });
    draw();
    return () => naming.disconnect();
  }, [draw]);

  return (
    <>
      {failure && <ErrorState what="the API document" error={failure} onRetry={draw} />}
      <div ref={root} className="reference" hidden={failure !== null} />
    </>
  );
}

function drawInto(domNode: HTMLElement, spec: object): void {
  SwaggerUI({
    spec,
    domNode,
    validatorUrl: null,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: false,
    persistAuthorization: false,
    withCredentials: true,
  });
}

// Swagger UI leaves its body editors and some of its choices without a name for a screen reader, and brings a second main.
function nameFields(root: HTMLElement): void {
  for (const field of root.querySelectorAll('textarea:not([aria-label]), select:not([aria-label])')) {
    field.setAttribute('aria-label', field.matches('textarea') ? 'Request body' : 'Choice');
  }
  for (const main of root.querySelectorAll('main:not([role])')) {
    main.setAttribute('role', 'group');
    main.setAttribute('aria-label', 'Operations');
  }
}
