import { CfnOutput } from 'aws-cdk-lib';
import { DomainName, EndpointType, type RestApiBase, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Construct } from 'constructs';

interface CustomDomainProps {
  readonly api: RestApiBase;
  readonly domainName: string;
  readonly certificateArn: string;
}

/**
 * A custom domain whose root is the stage, with TLS 1.2 and 1.3. DNS is outside of the stack: the outputs have the
 * target of the alias record. API Gateway's own address still responds, behind the same firewall
 * (`docs/decisions/0134-http.md`).
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-regional-api-custom-domain-create.html
 */
export class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, { api, domainName, certificateArn }: CustomDomainProps) {
    super(scope, id);
    const domain = new DomainName(this, 'Domain', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    domain.addBasePathMapping(api, { stage: api.deploymentStage });
    const alias = { AliasTarget: domain.domainNameAliasDomainName, AliasZoneId: domain.domainNameAliasHostedZoneId };
    for (const [name, value] of Object.entries(alias)) {
      new CfnOutput(this, name, { value }).overrideLogicalId(`Domain${name}`);
    }
  }
}
