import { formatPlural } from '@/lib/format';
import type { Field } from '../schemas';
import classes from './fields.module.css';
import { type HrefOf, Prose } from './prose';

type FieldsProps = { fields: readonly Field[]; hrefOf: HrefOf; isResponse?: boolean };

/** More of them would hide the fields that follow. */
const MAX_VALUES = 12;

/** Parameters or fields with what they take. The fields of objects are shown on demand. */
export function Fields({ fields, hrefOf, isResponse }: FieldsProps) {
  return (
    <ul className={classes.fields}>
      {fields.map(({ name, type, isRequired, description, facts, values, fields: inner, isVariant }) => (
        <li key={name}>
          <div className={classes.head}>
            {isVariant ? <b>One of: {name.toLowerCase()}</b> : <code className={classes.name}>{name}</code>}
            {!isVariant && <span className="quiet">{type}</span>}
            {isResponse && !isRequired && <span className="quiet">may be missing</span>}
            {isRequired && !isResponse && <span className={classes.required}>required</span>}
            {!isResponse && facts.length > 0 && (
              <span className="quiet">
                <Prose text={facts.join(', ')} hrefOf={hrefOf} />
              </span>
            )}
          </div>
          {description && (
            <p className="soft">
              <Prose text={description} hrefOf={hrefOf} />
            </p>
          )}
          {values.length > 0 && <Values values={values} />}
          {inner.length > 0 && (
            <details>
              <summary>
                {formatPlural(inner.length, 'field')} of <code>{name}</code>
              </summary>
              <Fields fields={inner} hrefOf={hrefOf} isResponse={isResponse} />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

function Values({ values }: { values: readonly string[] }) {
  const list = <code className={classes.values}>{values.join(', ')}</code>;
  if (values.length === 1) return null;
  if (values.length <= MAX_VALUES) return <p className="soft">One of {list}</p>;
  return (
    <details>
      <summary>One of {values.length} values</summary>
      {list}
    </details>
  );
}
