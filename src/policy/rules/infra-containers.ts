// Contract: rules about containers and clusters. PURE.
import { readOptions } from '../shell/options.ts';
import type { Effective, Hit, Place, Rule, Word } from '../types.ts';
import { DOCKER, HELM, KUBECTL, PLAIN } from './infra-specs.ts';
import { anyPattern, head, patternRule, rule, type Check } from './kit.ts';
import { has, isHelp } from './options.ts';
import { isForInstalls, kindOfText } from './places.ts';

const PACK = 'infra';

/** Kinds whose removal takes data or everything inside along, and kinds that come back or are asked about. */
const HEAVY = 'namespace|namespaces|ns|node|nodes|no|pv|persistentvolume|persistentvolumes|pvc|persistentvolumeclaim|persistentvolumeclaims|crd|crds|customresourcedefinition|customresourcedefinitions|all|clusterrole|clusterrolebinding|storageclass|sc|namespace/*|ns/*|node/*|pv/*|pvc/*|crd/*|*,*';
const MIDDLE = 'deployment|deployments|deploy|statefulset|statefulsets|sts|daemonset|daemonsets|ds|service|services|svc|ingress|ingresses|ing|secret|secrets|configmap|configmaps|cm|cronjob|cronjobs|cj|serviceaccount|sa|hpa|networkpolicy|deployment/*|deploy/*|statefulset/*|sts/*|service/*|svc/*|secret/*|ingress/*|daemonset/*|ds/*|configmap/*|cm/*|application|applications|kustomization|helmrelease|cluster|clusters';

function kubectl({ args }: Effective): Hit | undefined {
  if (isHelp(args)) return undefined;
  const read = readOptions(args, KUBECTL);
  const dry = read.options.find(({ name }) => name === '--dry-run');
  if (dry !== undefined && dry.value !== 'none' && dry.value !== 'false') return undefined;
  const heavy = anyPattern([`delete ${HEAVY}`, 'delete --all', 'delete -A|--all-namespaces', 'drain', 'replace --force', 'delete --force', 'taint node|nodes', 'cordon'], read);
  if (heavy !== undefined) return read.operands[0]?.text === 'cordon' || read.operands[0]?.text === 'taint' ? { ...heavy, decision: 'ask' } : heavy;
  const middle = anyPattern([`delete ${MIDDLE}`, 'delete -f|--filename|-k|--kustomize', 'delete -l|--selector', 'scale --replicas=0'], read);
  if (middle !== undefined) return { ...middle, decision: 'ask' };
  const zero = read.operands[0]?.text === 'scale' ? read.options.find(({ name, value }) => name === '--replicas' && value === '0') : undefined;
  return zero === undefined ? undefined : { at: zero.word, decision: 'ask' };
}

/** `docker rm -f $(docker ps -aq)`: everything there is, rather than one container by name. */
const removesAll: Check = ({ args, chain, pipedFrom }) => {
  const read = readOptions(args, { exact: true, valued: 's', longs: 'context= host= signal=' });
  if (isHelp(args)) return undefined;
  const verbs = read.operands.map(({ text }) => text);
  const at = verbs[0] === 'container' || verbs[0] === 'image' || verbs[0] === 'volume' ? 1 : 0;
  const removing = verbs[at] === 'rm' || verbs[at] === 'rmi' || verbs[at] === 'kill' || verbs[at] === 'remove';
  if (!removing) return undefined;
  const dynamic = read.operands.slice(at + 1).find((word) => word.dynamic && word.text.includes('$('));
  if (dynamic !== undefined && (has(read, '-f --force -v --volumes') || verbs[at] === 'kill')) return { at: dynamic };
  const fed = chain.includes('xargs') && pipedFrom.some(({ program, args: from }) => program === 'docker' || program === 'podman' || from.some(({ text }) => text === 'docker'));
  return fed && has(read, '-f --force') ? {} : undefined;
};

/** The directories of the machine that a run mounts writable, with the word that names them. */
function mounts(args: readonly Word[]): readonly { readonly source: string; readonly at: Word }[] {
  const read = readOptions(args, { exact: true, valued: 'v', longs: 'volume= mount=' });
  const out: { source: string; at: Word }[] = [];
  for (const { name, value = '', word } of read.options) {
    if (name === '-v' || name === '--volume') {
      const parts = value.split(':');
      if (parts.length > 1 && !(parts[2] ?? '').split(',').includes('ro')) out.push({ source: parts[0] ?? '', at: word });
    } else if (name === '--mount') {
      const source = /(?:^|,)(?:source|src)=([^,]+)/u.exec(value)?.[1];
      if (source !== undefined && !value.includes('readonly') && !value.includes('ro=true')) out.push({ source, at: word });
    }
  }
  return out;
}

/** A container that has the root or a system directory of the machine as its own can change everything in it. */
const hostMount: Check = ({ args }, place: Place) => {
  const verb = args.find(({ text }) => text[0] !== '-')?.text;
  if (verb !== 'run' && verb !== 'create' && verb !== 'container') return undefined;
  for (const { source, at } of mounts(args)) {
    const kind = kindOfText(source, { ...place, remote: undefined });
    if (kind === 'root' || (kind === 'system' && !source.startsWith('/var/run') && !source.startsWith('/dev/') && !isForInstalls(source))) return { at };
  }
  return undefined;
};

export const CONTAINER_RULES: readonly Rule[] = [
  rule(PACK, head('infra.kubectl.delete', 'kubectl delete of namespaces, volumes, everything; drain; replace --force', 'This removes things of a cluster for everybody. Show "kubectl get" and the command to the person, or try it with --dry-run=server.', 'contested'), 'kubectl oc k3s microk8s', kubectl),
  patternRule(PACK, head('infra.helm.uninstall', 'helm uninstall, helm rollback', 'This takes a release out of a cluster. Ask the person.'), 'helm', HELM, ['uninstall|delete|del|un !--dry-run', 'rollback !--dry-run']),
  patternRule(PACK, head('infra.docker.prune', 'docker system prune -a or --volumes, volume prune, builder prune -a', 'This deletes images or volumes that other projects need. Name what shall go ("docker volume rm NAME" by the person), or prune without -a and --volumes.'), 'docker podman nerdctl', DOCKER,
    ['system prune -a|--all', 'system prune --volumes', 'volume prune', 'system reset', 'image prune -a|--all', 'volume rm|remove']),
  rule(PACK, head('infra.docker.remove-all', 'docker rm -f $(docker ps -aq) and the like', 'This removes every container, also those of other projects. Name the containers you mean.'), 'docker podman nerdctl', removesAll),
  patternRule(PACK, head('infra.compose.down', 'docker compose down -v or --rmi all', 'This deletes the volumes of the project with its data. Use "down" without -v, or ask the person.'), 'docker podman docker-compose podman-compose', DOCKER,
    ['compose down -v|--volumes', 'down -v|--volumes', 'compose rm -v', 'compose down --rmi']),
  rule(PACK, head('infra.docker.host-mount', 'docker run with the root or a system directory of the machine, writable', 'The container can change every file of the machine. Mount the directory of the project, or add ":ro".', 'ask'), 'docker podman nerdctl', hostMount),
  patternRule(PACK, head('infra.docker.swarm', 'docker swarm leave --force, stack rm, service rm', 'This takes services away for everybody. Ask the person.'), 'docker', DOCKER, ['swarm leave -f|--force', 'stack rm|remove|down', 'service rm|remove', 'node rm|remove', 'secret rm|remove']),
  patternRule(PACK, head('infra.cluster.delete', 'kind, minikube, k3d, eksctl, kops cluster deletion', 'This deletes a cluster with everything in it. Ask the person.'), 'kind minikube k3d eksctl kops talosctl kubeadm', PLAIN,
    ['delete', 'delete cluster', 'cluster delete', 'reset']),
  patternRule(PACK, head('infra.argocd', 'argocd app delete, flux uninstall, istioctl uninstall', 'This takes applications out of a cluster. Ask the person.'), 'argocd flux istioctl linkerd velero', PLAIN, ['app delete', 'uninstall', 'delete', 'backup delete', 'cluster rm', 'proj delete']),
];
