import { CodeBlock } from '@/components/code-block';
import { formatBytes } from '@/lib/format';
import type { DeliveryRequest } from '../../schema';
import { partsOf } from '../webhook-values';

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
        The request could not be loaded.{' '}
        <button type="button" className="act text-button" onClick={onRetry}>
          Retry
        </button>
      </p>
    );
  }
  return (
    <CodeBlock
      title={`Request, attempt ${number}`}
      hint={hintOf(request)}
      code={request ? textOf(request, url, number) : '\u00a0'}
      what="the request"
    />
  );
}

function textOf({ headers, body }: Request, url: string, number: number): string {
  const [host, rest] = partsOf(url);
  const lines = Object.entries({ Host: host, ...headers, 'X-Service-Attempt': String(number) });
  const head = [`POST ${rest || '/'} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join('\n')}\n\n${body}`;
}

const USUAL_HINT = 'its signature is not kept';

function hintOf(request: Request | undefined): string {
  if (!request) return USUAL_HINT;
  const { body, body_bytes: bytes } = request;
  if (body === '' && bytes > 0) return 'the body is no longer kept';
  if (new TextEncoder().encode(body).length < bytes) return `the beginning of ${formatBytes(bytes)}`;
  return USUAL_HINT;
}
