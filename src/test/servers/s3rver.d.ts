declare module '@20minutes/s3rver' {
  import type { RequestListener } from 'node:http';
  import type { Readable } from 'node:stream';

  export default class S3rver {
    constructor(options: {
      directory: string;
      silent: boolean;
      configureBuckets: { name: string; configs: string[] }[];
      allowMismatchedSignatures?: boolean;
    });
    configureBuckets(): Promise<unknown>;
    callback(): RequestListener;
    store: { putContent(file: string, content: Readable): Promise<unknown> };
  }
}
