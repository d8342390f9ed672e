// Contract: rules about clouds, infrastructure as code, secret stores, queues and machines of others. PURE.
import { readOptions } from '../shell/options.ts';
import type { Rule } from '../types.ts';
import { AWS, AZ, GCLOUD, PLAIN, TERRAFORM } from './infra-specs.ts';
import { anyPattern, head, patternRule, rule, type Check } from './kit.ts';
import { isHelp } from './options.ts';

const PACK = 'infra';
const CLOUD = 'This deletes or stops things in the cloud that others may use, with their data. Show the command to the person.';

/** `aws s3 rb` and every verb that deletes; verbs that list, describe or simulate are free. */
const aws: Check = ({ args }) => {
  if (isHelp(args)) return undefined;
  const read = readOptions(args, AWS);
  if (read.options.some(({ name }) => name === '--dry-run' || name === '--dryrun' || name === '--generate-cli-skeleton')) return undefined;
  return anyPattern([
    's3 rb', 's3 rm --recursive', 's3 sync --delete', 's3api delete-*', 'ec2 terminate-instances', '* delete-*', '* terminate-*', '* purge-*', '* deregister-*', '* schedule-key-deletion', '* disable-key', '* remove-*-from-*', '* batch-delete-*',
    'ec2 stop-instances', 'ec2 release-address', 'ec2 revoke-security-group-*', 'iam detach-*', 'iam remove-*', 'iam put-*-policy', 'iam attach-*', 'iam create-access-key', 'organizations leave-organization', 'organizations close-account', 'route53 change-resource-record-sets', 'cloudformation cancel-*',
  ], read);
};

const MILD = ['ec2 stop-instances', 'iam put-*-policy', 'iam attach-*', 'iam create-access-key', 'route53 change-resource-record-sets', 's3 rm', 'dynamodb delete-item', 'sqs delete-message', 's3api delete-object', '* deregister-*'];

const awsGraded: Check = (effective, place) => {
  const hit = aws(effective, place);
  if (hit === undefined) return undefined;
  const read = readOptions(effective.args, AWS);
  return anyPattern(MILD, { operands: read.operands, options: read.options }) !== undefined && !read.options.some(({ name }) => name === '--recursive') ? { ...hit, decision: 'ask' } : hit;
};

const terraform: Check = ({ args }) => {
  if (isHelp(args)) return undefined;
  const read = readOptions(args, TERRAFORM);
  return anyPattern([
    'destroy', 'apply --auto-approve', 'apply --destroy', 'state rm', 'state push', 'state replace-provider', 'force-unlock', 'workspace delete', 'run-all|run --all destroy', 'run-all destroy|apply', 'taint', 'plan --destroy --out', 'destroy-all', 'apply-all',
  ], read);
};

export const CLOUD_RULES: readonly Rule[] = [
  rule(PACK, head('infra.terraform', 'terraform destroy, apply -auto-approve, state rm, force-unlock', 'This changes or deletes infrastructure without anybody looking at the plan. Run "terraform plan" and let the person apply it.'), 'terraform tofu terragrunt', terraform),
  patternRule(PACK, head('infra.pulumi', 'pulumi destroy, up --yes, stack rm', 'This changes or deletes infrastructure without anybody looking. Run "pulumi preview" and let the person apply it.'), 'pulumi', { exact: true, valued: 'sC', longs: 'stack= cwd= config= target=' },
    ['destroy', 'down', 'up|update -y|--yes|-f|--skip-preview', 'stack rm', 'state delete', 'cancel']),
  patternRule(PACK, head('infra.cdk', 'cdk destroy, serverless remove, sam delete, copilot delete', CLOUD), 'cdk serverless sls sam chalice sst cdktf eb up zappa architect amplify', PLAIN,
    ['destroy', 'remove', 'delete', 'terminate', 'undeploy', 'deploy --require-approval=never', 'cleanup']),
  rule(PACK, head('infra.aws', 'aws s3 rb, s3 rm --recursive, terminate-instances, delete-* and the like', CLOUD), 'aws awslocal', awsGraded),
  patternRule(PACK, head('infra.gcloud', 'gcloud ... delete, gsutil rm -r, gsutil rb', CLOUD), 'gcloud', GCLOUD,
    ['** delete', '** destroy', '** undelete', 'projects shutdown', '** remove-iam-policy-binding', '** set-iam-policy', '** reset', 'storage rm -r|--recursive', 'storage buckets delete']),
  patternRule(PACK, head('infra.gsutil', 'gsutil rm -r, gsutil rb, rsync -d; bq rm', CLOUD), 'gsutil bq', { exact: true, valued: 'ohu' }, ['rm -r|-R|-a', 'rm -f', 'rb', 'rsync -d', 'rm --recursive']),
  patternRule(PACK, head('infra.azure', 'az ... delete, az group delete', CLOUD), 'az', AZ, ['** delete', '** purge', '** delete-batch', '** deallocate', '** remove', 'ad sp reset-credentials']),
  patternRule(PACK, head('infra.clouds', 'doctl, hcloud, linode-cli, oci, ibmcloud, scw, exo deletions', CLOUD), 'doctl hcloud linode-cli oci ibmcloud scw exo vultr-cli aliyun tccli openstack nova civo', PLAIN,
    ['** delete', '** rm', '** destroy', '** terminate', '** remove', '** delete-*', '** purge']),
  patternRule(PACK, head('infra.platform', 'heroku, flyctl, vercel, netlify, railway, render, wrangler deletions', CLOUD), 'heroku fly flyctl vercel netlify railway render wrangler firebase supabase neonctl turso planetscale pscale dokku cf now surge deployctl', PLAIN,
    ['apps:destroy|pg:reset|addons:destroy|domains:remove|ps:stop', 'apps destroy', 'apps|machine|machines|volumes|volume destroy|delete|remove', 'destroy', 'pg:* --confirm', 'rm|remove', 'project|projects rm|remove|delete', 'sites:delete', 'delete', 'down', 'r2 bucket delete', 'd1 delete', 'kv:namespace delete', 'kv namespace delete', 'projects:delete', 'firestore:delete', 'hosting:disable', 'functions:delete', 'db reset|destroy', 'database delete', 'branch|branches delete', 'apps:delete', 'delete-org|delete-space|delete-service']),
  patternRule(PACK, head('infra.vault', 'vault delete, kv destroy, secrets disable, operator seal', 'This deletes secrets that others use. Ask the person.'), 'vault bao', { exact: true, oneDash: true, longs: 'mount= namespace= address= path= versions=' },
    ['delete', 'kv delete|destroy|metadata', 'secrets disable', 'auth disable', 'operator seal|step-down|rekey', 'lease revoke', 'token revoke', 'policy delete']),
  patternRule(PACK, head('infra.stores', 'consul kv delete -recurse, etcdctl del, nomad stop, kafka topic deletion', 'This deletes state that running services use. Ask the person.'), 'consul etcdctl nomad kafka-topics kafka-topics.sh rabbitmqctl nats pulsar-admin zkCli.sh', { exact: true, oneDash: true, longs: 'token= address= endpoints= prefix= namespace= bootstrap-server= topic=' },
    ['kv delete', 'del', 'stop --purge', 'job stop|purge', 'namespace delete', '--delete', 'delete_queue|delete_vhost|reset|force_reset|purge_queue|delete_user', '** delete', 'snapshot restore', 'deleteall', 'rmr', 'leave']),
  rule(PACK, head('infra.ansible', 'ansible -m shell or command that removes things; playbooks are the person\'s', 'This changes machines of others at once. Show the command to the person.'), 'ansible', ({ args }) => {
    const at = args.find(({ text }, i) => (args[i - 1]?.text === '-a' || args[i - 1]?.text === '--args' || text.startsWith('--args=')) && /\brm\s+-\w*[rR]|\bmkfs|\bdd\s|\breboot\b|\bshutdown\b|state=absent/u.test(text));
    return at === undefined ? undefined : { at };
  }),
  patternRule(PACK, head('infra.vm', 'virsh undefine, VBoxManage unregistervm --delete, vagrant destroy, multipass delete, lxc delete', 'This deletes a virtual machine with its disk. Ask the person.'), 'virsh VBoxManage vagrant multipass lxc incus limactl prlctl qm pct tart', PLAIN,
    ['undefine|destroy|vol-delete|pool-delete', 'unregistervm --delete', 'destroy', 'delete', 'closemedium', 'delete -f|--force', 'snapshot-delete']),
];
