import { TextButton } from '@/components/text/text-button';
import { CodeBlock } from '@/components/values/code-block';
import { HttpText } from '@/components/values/json-text';
import { formatBytes } from '@/lib/format';
import type { DeliveryRequest } from '../../schema';
import { urlParts } from '../webhook-values';

type Request = DeliveryRequest['request'];

type DeliveryRequestBlockProps = {
  url: string;
  number: number;
  request: Request | undefined;
  isFailed: boolean;
  onRetry: () => void;
};

export function DeliveryRequestBlock({ url, number, request, isFailed, onRetry }: DeliveryRequestBlockProps) {
  if (isFailed && !request) {
    return (
      <p className="soft">
        Couldn’t load the request. <TextButton onClick={onRetry}>Retry</TextButton>
      </p>
    );
  }
  const text = request ? textOf(request, url, number) : '\u00a0';
  return (
    <CodeBlock title={`Request, attempt ${number}`} hint={hintOf(request)} code={text} what="the request">
      <HttpText text={text} />
    </CodeBlock>
  );
}

function textOf({ headers, body }: Request, url: string, number: number): string {
  const [host, rest] = urlParts(url);
  const lines = Object.entries({ Host: host, ...headers, 'X-Service-Attempt': String(number) });
  const head = [`POST ${rest || '/'} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join('\n')}\n\n${body}`;
}

const DEFAULT_HINT = 'signature not stored';

function hintOf(request: Request | undefined): string {
  if (!request) return DEFAULT_HINT;
  const { body, body_bytes: bytes } = request;
  if (body === '' && bytes > 0) return 'body deleted after its retention period';
  if (new TextEncoder().encode(body).length < bytes) return `first part of ${formatBytes(bytes)}`;
  return DEFAULT_HINT;
}
