{{- define "arb.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "arb.labels" -}}
app.kubernetes.io/name: arb
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* By which a role's pods are found; .role. */ -}}
{{- define "arb.selector" -}}
app.kubernetes.io/name: arb
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "arb.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* Of a pod: nothing of the host, nothing to write to. */ -}}
{{- define "arb.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "arb.container" -}}
image: {{ include "arb.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- /* How a role reaches Kafka; .role names its user where it has one of its own. */ -}}
{{- define "arb.kafka-env" -}}
{{- $kafka := .root.Values.kafka -}}
{{- $user := printf "%s-%s" (include "arb.name" .root) .role -}}
- {name: KAFKA_BOOTSTRAP_SERVERS, value: {{ required "set kafka.brokers to the addresses of a Kafka" $kafka.brokers | quote }}}
- {name: KAFKA_SECURITY_PROTOCOL, value: {{ $kafka.securityProtocol | quote }}}
{{- with $kafka.topicPrefix }}
- {name: KAFKA_TOPIC_PREFIX, value: {{ . | quote }}}
{{- end }}
{{- if hasPrefix "sasl" $kafka.securityProtocol }}
- {name: KAFKA_SASL_MECHANISM, value: {{ required "set kafka.saslMechanism" $kafka.saslMechanism | quote }}}
- {name: KAFKA_USERNAME, value: {{ $kafka.username | default $user | quote }}}
- {name: KAFKA_PASSWORD_FILE, value: /etc/arb/kafka/password}
{{- end }}
{{- if $kafka.caSecret.name }}
- {name: KAFKA_CA, value: /etc/arb/kafka-ca/ca.crt}
{{- end }}
{{- if $kafka.clientCertificateSecret }}
- {name: KAFKA_CERTIFICATE, value: /etc/arb/kafka-client/tls.crt}
- {name: KAFKA_KEY, value: /etc/arb/kafka-client/tls.key}
{{- end }}
{{- end }}

{{- define "arb.kafka-mounts" -}}
{{- $kafka := .root.Values.kafka -}}
{{- if hasPrefix "sasl" $kafka.securityProtocol }}
- {name: kafka, mountPath: /etc/arb/kafka, readOnly: true}
{{- end }}
{{- if $kafka.caSecret.name }}
- {name: kafka-ca, mountPath: /etc/arb/kafka-ca, readOnly: true}
{{- end }}
{{- if $kafka.clientCertificateSecret }}
- {name: kafka-client, mountPath: /etc/arb/kafka-client, readOnly: true}
{{- end }}
{{- end }}

{{- define "arb.kafka-volumes" -}}
{{- $kafka := .root.Values.kafka -}}
{{- $user := printf "%s-%s" (include "arb.name" .root) .role -}}
{{- if hasPrefix "sasl" $kafka.securityProtocol }}
- name: kafka
  secret:
    secretName: {{ $kafka.passwordSecret.name | default $user }}
    items: [{key: {{ $kafka.passwordSecret.key }}, path: password}]
{{- end }}
{{- with $kafka.caSecret }}
{{- if .name }}
- name: kafka-ca
  secret: {secretName: {{ .name }}, items: [{key: {{ .key }}, path: ca.crt}]}
{{- end }}
{{- end }}
{{- with $kafka.clientCertificateSecret }}
- name: kafka-client
  secret: {secretName: {{ . }}}
{{- end }}
{{- end }}

{{- /* A password of ClickHouse as a variable: .user of the secret. */ -}}
{{- define "arb.clickhouse-password" -}}
- name: CLICKHOUSE_{{ upper .user }}_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ .root.Values.clickhouse.secret }}, key: {{ .user }}}}
{{- end }}
