// Contract: how programs of infrastructure read their options, as far as a value could be taken for a word that counts. PURE.
import type { OptionSpec } from '../shell/options.ts';

export const KUBECTL: OptionSpec = { exact: true, valued: 'nfloskc', longs: 'namespace= filename= selector= output= server= kubeconfig= context= cluster= user= token= as= as-group= grace-period= timeout= field-selector= kustomize= container= dry-run? cascade? all all-namespaces force now wait' };
export const HELM: OptionSpec = { exact: true, valued: 'nfo', longs: 'namespace= kube-context= kubeconfig= timeout= values= set= version= description= cascade= dry-run? debug' };
export const TERRAFORM: OptionSpec = { oneDash: true, exact: true, longs: 'target= var= var-file= chdir? state= backup= lock= lock-timeout= parallelism= working-dir= config= terragrunt-working-dir=' };
export const DOCKER: OptionSpec = { exact: true, valued: 'cHlfpt', longs: 'config= context= host= log-level= filter= format= file= project-name= project-directory= profile= rmi= timeout= env-file= until= connection= volumes' };
export const AWS: OptionSpec = { exact: true, longs: 'profile= region= output= endpoint-url= query= bucket= key= ids= filters= instance-ids= db-instance-identifier= stack-name= function-name= table-name= cluster= cluster-name= name= user-name= role-name= policy-arn= group-name= exclude= include= cli-input-json= version-id= hosted-zone-id=' };
export const GCLOUD: OptionSpec = { exact: true, longs: 'project= zone= region= account= configuration= format= filter= verbosity= impersonate-service-account= location= service= instance= cluster= keyring= async quiet' };
export const AZ: OptionSpec = { exact: true, valued: 'gnos', longs: 'resource-group= name= output= subscription= query= ids= account-name= server= vault-name= location=' };
export const GH: OptionSpec = { exact: true, valued: 'RXfFHqtbBenrpa', longs: 'repo= method= field= raw-field= header= jq= template= title= body= body-file= hostname= cache= input= env= org= user= app= preview=' };
export const PLAIN: OptionSpec = { exact: true, valued: 'naCprRsSc', longs: 'app= org= team= scope= token= site= project= config= namespace= environment= region= cwd= stack= filter= access= tag= otp= registry= workspace= prefix= auth= dir= filename=' };
