import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { CodeBlock } from '@/components/values/code-block';
import type { DomainDmarc } from '../../dmarc/schema';
import classes from '../reports.module.css';

/** The policy to publish next, why, and the record. */
export function NextPolicy({ dmarc: { policy, recommendation } }: { dmarc: DomainDmarc }) {
  const { record, reason, evidence } = recommendation;
  const isPublished = policy.record === record;
  return (
    <section aria-labelledby="next-policy">
      <SectionHeading title="Recommended policy" id="next-policy" isUnderlined>
        <span className="mono">p={recommendation.policy}</span>
        {policy.p && policy.p !== recommendation.policy && <span className="quiet">now p={policy.p}</span>}
        {isPublished && (
          <StatusMark status="on">{policy.inherited_from === null ? 'Published' : 'Inherited'}</StatusMark>
        )}
      </SectionHeading>
      <div className={classes.next}>
        <div>
          <p>{reason}</p>
          <ul>
            {evidence.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
        <CodeBlock
          title={isPublished ? 'Published' : 'Publish this'}
          hint={isPublished && policy.inherited_from ? `at _dmarc.${policy.inherited_from}` : 'as TXT record at _dmarc'}
          code={record}
          what="the DMARC record"
        />
      </div>
    </section>
  );
}
