import { PageNotFound } from '@/components/shell/page-not-found';

export default function NotFound() {
  return <PageNotFound />;
}
