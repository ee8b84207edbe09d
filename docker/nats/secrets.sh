#!/bin/sh
# secrets.sh FOLDER [HOST...]: makes what the broker and those who talk to it have to know of each other, in a folder that is only
# yours: an authority of its own, a certificate for the servers, a password for each user of nats.conf, and the address with which
# serve and worker come to it. Without hosts: the three of compose.workers.yaml and of Kubernetes. What is there is left as it is.
set -eu
[ $# -ge 1 ] || { echo "secrets.sh FOLDER [HOST...]" >&2; exit 2; }
folder=$1; shift
[ $# -gt 0 ] || set -- nats-0.nats nats-1.nats nats-2.nats
[ ! -e "$folder/ca.crt" ] || { echo "$folder is made already: for new ones move it away" >&2; exit 1; }
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"

names='' servers=''
for host; do
    case $host in *[!0-9.]*) names=$names,DNS:$host ;; *) names=$names,IP:$host ;; esac
    servers="$servers $host"
done
new_key() { openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }

# The authority signs once: its key is not kept. The certificate is also what servers show each other.
new_key ca.key
openssl req -x509 -new -key ca.key -days 3650 -subj /CN=nqueensd-nats-ca -addext keyUsage=critical,keyCertSign -out ca.crt
new_key server.key
openssl req -new -key server.key -subj /CN=nats -out server.csr
cat >server.ext <<EXT
subjectAltName = ${names#,}
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
EXT
openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 825 -extfile server.ext -out server.crt
rm -f ca.key ca.srl server.csr server.ext

new_user() { # new_user NAME VARIABLE
    password=p$(openssl rand -hex 24) # a letter first: nats.conf would read digits as a number
    echo "$2: \"$password\"" >>passwords.conf
    urls=
    for host in $servers; do urls=$urls,tls://$1:$password@$host:4222; done
    echo "NQ_STORE=${urls#,}" >"$1.env"
}
new_user serve SERVE_PASSWORD
new_user worker WORKER_PASSWORD
chmod 644 ./* # for the users in the containers; the folder keeps others here out
