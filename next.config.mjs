import { readFileSync } from 'node:fs';
import { PHASE_DEVELOPMENT_SERVER } from 'next/constants.js';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** @returns {import('next').NextConfig} */
export default (phase) => ({
  poweredByHeader: false,
  reactStrictMode: true,
  // Shown in the console.
  env: { POSTROOM_VERSION: version },
  skipTrailingSlashRedirect: true,
  images: { unoptimized: true },
  // A release of deploy/install is in a folder of its clone, which Next.js would take for the root: a copy of the build would load its
  // threads from the former folder.
  turbopack: { root: import.meta.dirname },
  // Next.js serves the API only in development, to reload it. A build without its routes bundles the server once, not twice.
  pageExtensions: phase === PHASE_DEVELOPMENT_SERVER ? ['ts', 'tsx', 'dev.ts'] : ['ts', 'tsx'],
  // `npm run check:types` checks types; the build does not repeat it.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ['@node-rs/argon2', 'nodemailer', 'pg', 'pino', 'prom-client', 'smtp-server'],
  experimental: {
    // Half of the build was for things that a first start doesn't need: a cache of 230 MB, source maps that nothing reads, and
    // minified code of the server, which made stack traces unreadable.
    turbopackFileSystemCacheForBuild: false,
    turbopackSourceMaps: false,
    turbopackMinify: { server: false },
    // Smaller chunks are merged with others, of bytes before compression, so that pages load half as many scripts.
    turbopackChunking: { minChunkSize: 800_000 },
    // A navigation without a connection waits for one, instead of ending at the browser's error page.
    useOffline: true,
    optimizePackageImports: ['@mantine/core', '@mantine/hooks'],
  },
});
