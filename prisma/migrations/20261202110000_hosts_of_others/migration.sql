ALTER TABLE "dns_record" ADD COLUMN "inherited_from" TEXT;

ALTER TABLE "domain" ADD COLUMN "other_mx_hosts" TEXT[] DEFAULT ARRAY[]::TEXT[];
