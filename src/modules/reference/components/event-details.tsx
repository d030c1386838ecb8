import { NearLink } from '@/components/near-link';
import type { DescribedEvent } from '../operations';
import { Fields } from './fields';
import { Example } from './operation-details';
import classes from './operation-details.module.css';
import { Endpoint } from './operation-rows';
import type { HrefOf } from './prose';

/** The request that webhooks get for a type of event. */
export function EventDetails({ event, hrefOf }: { event: DescribedEvent; hrefOf: HrefOf }) {
  const { id, method, path, summary, fields, example } = event;
  return (
    <section id={id} className={classes.operation} aria-labelledby={`${id}-title`}>
      <div className={classes.text}>
        <h2 id={`${id}-title`}>
          <NearLink href={`#${id}`}>{summary}</NearLink>
        </h2>
        <Endpoint method={method} path={path} />
        <p>
          Posted to subscribed webhooks, with{' '}
          <NearLink href="/docs/webhooks#deliveries">headers and a signature</NearLink>.
        </p>
        <div>
          <h3>
            Fields of <code>data</code>
          </h3>
          <Fields fields={fields} hrefOf={hrefOf} isResponse />
        </div>
      </div>
      <div className={classes.code}>
        <figure>
          <figcaption>
            <b>Body</b> <span className="quiet">{path}</span>
          </figcaption>
          <Example text={example} />
        </figure>
      </div>
    </section>
  );
}
