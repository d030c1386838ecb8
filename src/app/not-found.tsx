import { NotFound } from '@/components/document/not-found';

export default function Page() {
  return <NotFound />;
}
