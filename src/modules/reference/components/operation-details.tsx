import type { ReactNode } from 'react';
import { NearLink } from '@/components/near-link';
import { RawText } from '@/components/text/raw-text';
import type { Answer, Operation, Parameter } from '../operations';
import { Access } from './access';
import { Fields } from './fields';
import { OperationCode } from './operation-code';
import classes from './operation-details.module.css';
import { Endpoint } from './operation-rows';
import { type HrefOf, Prose } from './prose';

const PARAMETERS: [Parameter['in'], string][] = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
];

type OperationDetailsProps = { operation: Operation; server: string; hrefOf: HrefOf };

/** The input and responses of an operation, beside code that calls it. */
export function OperationDetails({ operation, server, hrefOf }: OperationDetailsProps) {
  const { id, method, path, summary, description, access, parameters, body, answers, errors } = operation;
  return (
    <section id={id} className={classes.operation} aria-labelledby={`${id}-title`}>
      <div className={classes.text}>
        <h2 id={`${id}-title`}>
          <NearLink href={`#${id}`}>{summary}</NearLink>
        </h2>
        <Endpoint method={method} path={path} />
        {description && (
          <p>
            <Prose text={description} hrefOf={hrefOf} />
          </p>
        )}
        <Access access={access} />
        {PARAMETERS.map(([place, title]) => {
          const fields = parameters.filter((parameter) => parameter.in === place);
          return fields.length > 0 && <Part key={place} title={title} fields={fields} hrefOf={hrefOf} />;
        })}
        {body && body.fields.length > 0 && <Part title="Body" fields={body.fields} hrefOf={hrefOf} />}
        {answers.map((answer) => (
          <Returns key={answer.status} answer={answer} hrefOf={hrefOf} />
        ))}
        <Folded title="Errors">
          <dl className={classes.errors}>
            {errors.map(({ status, codes }) => (
              <div key={status}>
                <dt className="mono">{status}</dt>
                <dd className="mono">{codes.join(', ')}</dd>
              </div>
            ))}
          </dl>
          <p className="soft">
            <NearLink href="/docs/api-contract#errors">What the codes mean</NearLink>
          </p>
        </Folded>
      </div>
      <div className={classes.code}>
        <OperationCode operation={calledBy(operation)} server={server} />
        {answers.slice(0, 1).map(
          ({ status, example }) =>
            example && (
              <figure key={status}>
                <figcaption>
                  <b>Response</b> <span className="quiet">{status}</span>
                </figcaption>
                <Example text={example} />
              </figure>
            ),
        )}
      </div>
    </section>
  );
}

export function Example({ text }: { text: string }) {
  return (
    <RawText tabIndex={0} className={classes.example}>
      {text}
    </RawText>
  );
}

/** The part of an operation that the browser needs to call it. */
function calledBy(operation: Operation) {
  const { id, method, path, summary, examplePath, file, isRedirect, isChanging, confirmation } = operation;
  const { access, parameters, body } = operation;
  return {
    id,
    method,
    path,
    summary,
    examplePath,
    file,
    isRedirect,
    isChanging,
    confirmation,
    body: body?.example ?? null,
    prefilled: body?.prefilled ?? '',
    isPublic: access === null,
    isSessionOnly: access?.session_only ?? false,
    parameters: parameters.map(({ name, in: place, type, description, isRequired, values }) => ({
      name,
      in: place,
      type,
      description,
      isRequired,
      values,
    })),
  };
}

type PartProps = { title: string; fields: Parameters<typeof Fields>[0]['fields']; hrefOf: HrefOf };

function Part({ title, fields, hrefOf }: PartProps) {
  return (
    <div>
      <h3>{title}</h3>
      <Fields fields={fields} hrefOf={hrefOf} />
    </div>
  );
}

function Returns({ answer, hrefOf }: { answer: Answer; hrefOf: HrefOf }) {
  const { status, description, headers, type, isList, fields } = answer;
  return (
    <Folded title={`Response ${status}`}>
      {description && (
        <p className="soft">
          {description}
          {type && (
            <>
              {' '}
              of type <code>{type}</code>
            </>
          )}
        </p>
      )}
      {headers.map((header) => (
        <p key={header} className="soft">
          <Prose text={header} hrefOf={hrefOf} />
        </p>
      ))}
      {fields.length > 0 && (
        <>
          <p className="soft">
            {isList ? 'Each entry of ' : 'Fields of '}
            <code>data</code>
          </p>
          <Fields fields={fields} hrefOf={hrefOf} isResponse />
        </>
      )}
    </Folded>
  );
}

function Folded({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className={classes.folded}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
