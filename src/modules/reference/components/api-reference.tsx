'use client';

import 'swagger-ui-dist/swagger-ui.css';
import { useCallback, useEffect, useRef, useState } from 'react';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { ErrorState } from '@/components/data-table/states';
import classes from './api-reference.module.css';

const DOCUMENT = '/api/v1/openapi.json';
/** What most people need. The others follow in the order of the document. */
const FIRST_TAGS = [{ name: 'Sending' }, { name: 'Messages' }];

export function ApiReference() {
  const root = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState<Error | null>(null);

  const render = useCallback(() => {
    setFailure(null);
    fetch(DOCUMENT)
      .then(async (response) => {
        if (!response.ok) throw new Error(`${DOCUMENT} responded with ${response.status}`);
        const spec: object = await response.json();
        if (root.current) renderInto(root.current, spec);
      })
      .catch(setFailure);
  }, []);

  useEffect(() => {
    const node = root.current;
    if (!node) return;
    const observer = new MutationObserver(() => labelFields(node));
    observer.observe(node, { childList: true, subtree: true });
    render();
    return () => observer.disconnect();
  }, [render]);

  return (
    <>
      {failure && <ErrorState what="the API reference" error={failure} onRetry={render} />}
      <div ref={root} className={classes.reference} hidden={failure !== null} />
    </>
  );
}

function renderInto(domNode: HTMLElement, spec: object): void {
  SwaggerUI({
    spec: { ...spec, tags: FIRST_TAGS },
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

// Swagger UI renders body editors and some selects without accessible names, and a second <main>.
function labelFields(root: HTMLElement): void {
  for (const field of root.querySelectorAll('textarea:not([aria-label]), select:not([aria-label])')) {
    field.setAttribute('aria-label', field.matches('textarea') ? 'Request body' : 'Option');
  }
  for (const main of root.querySelectorAll('main:not([role])')) {
    main.setAttribute('role', 'group');
    main.setAttribute('aria-label', 'Operations');
  }
}
