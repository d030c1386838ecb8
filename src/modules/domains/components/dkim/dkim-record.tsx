import { CodeBlock } from '@/components/code-block';
import type { DkimKey } from '../../dkim/schema';

const MAX_STRING_LENGTH = 255;

export function DkimRecord({ selector, dns_record: { type, name, value } }: DkimKey) {
  return (
    <div className="dkim-record">
      <CodeBlock title="Name" hint={`of a ${type} record`} code={name} what={`the name of ${selector}`} />
      <CodeBlock title="Value" code={value} what={`the value of ${selector}`} />
      {value.length > MAX_STRING_LENGTH && (
        <p className="quiet">
          Most DNS hosts take the value in one piece. One that asks for at most {MAX_STRING_LENGTH} characters wants it
          as several strings in quotes, one after the other.
        </p>
      )}
    </div>
  );
}
